package workspace

import (
	"bytes"
	"path"
	"strings"
)

// Bounds of what one .gitignore, which a sandbox may have written, can cost: lines,
// and bytes of the file.
const (
	patternsMost = 10_000
	// More of "**" in one line try more ways than anybody means.
	starsMost   = 3
	ignoreBytes = 1 << 20
)

// pattern is one line of a .gitignore.
type pattern struct {
	parts    []string // between slashes; "**" stands for any number of folders
	negated  bool
	folder   bool // matches folders alone
	anchored bool // to the folder of its file; else it matches a name at any depth
}

// patterns of one file, in which the last that matches decides.
type patterns []pattern

func parseIgnore(content []byte) patterns {
	var all patterns
	for line := range bytes.Lines(content[:min(len(content), ignoreBytes)]) {
		if p, ok := parsePattern(string(line)); ok {
			all = append(all, p)
		}
		if len(all) == patternsMost {
			break
		}
	}
	return all
}

func parsePattern(line string) (pattern, bool) {
	line = strings.TrimRight(line, "\r\n")
	for strings.HasSuffix(line, " ") && !strings.HasSuffix(line, `\ `) {
		line = line[:len(line)-1]
	}
	var p pattern
	if strings.HasPrefix(line, "#") {
		return p, false
	}
	if strings.HasPrefix(line, "!") {
		p.negated, line = true, line[1:]
	}
	if strings.HasSuffix(line, "/") {
		p.folder, line = true, strings.TrimRight(line, "/")
	}
	p.anchored = strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	if line == "" {
		return p, false
	}
	p.parts = strings.Split(line, "/")
	stars := 0
	for _, part := range p.parts {
		if part == "**" {
			stars++
		}
	}
	return p, stars <= starsMost
}

// match says whether and how the patterns decide about a path relative to their
// folder.
func (all patterns) match(name string, folder bool) (ignored, decided bool) {
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].matches(name, folder) {
			return !all[i].negated, true
		}
	}
	return false, false
}

func (p pattern) matches(name string, folder bool) bool {
	if p.folder && !folder {
		return false
	}
	if !p.anchored {
		return matchName(p.parts[0], path.Base(name))
	}
	return matchParts(p.parts, strings.Split(name, "/"))
}

func matchParts(pattern, name []string) bool {
	for len(pattern) > 0 {
		if pattern[0] == "**" {
			rest := pattern[1:]
			if len(rest) == 0 {
				return len(name) > 0
			}
			for i := range name {
				if matchParts(rest, name[i:]) {
					return true
				}
			}
			return false
		}
		if len(name) == 0 || !matchName(pattern[0], name[0]) {
			return false
		}
		pattern, name = pattern[1:], name[1:]
	}
	return len(name) == 0
}

// matchName matches one part; a pattern that is malformed matches nothing.
func matchName(pattern, name string) bool {
	pattern = strings.ReplaceAll(strings.ReplaceAll(pattern, "[!", "[^"), "**", "*")
	ok, err := path.Match(pattern, name)
	return err == nil && ok
}

// ignoring is what is known about ignored files on the way down to a folder.
type ignoring struct {
	above    *ignoring
	prefix   string // of the paths that the patterns see, with its slash
	patterns patterns
}

// ignores decides about a path relative to the workspace: the nearest file that
// says something about it counts.
func (i *ignoring) ignores(name string, folder bool) bool {
	for ; i != nil; i = i.above {
		if ignored, decided := i.patterns.match(strings.TrimPrefix(name, i.prefix), folder); decided {
			return ignored
		}
	}
	return false
}
