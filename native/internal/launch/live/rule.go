package live

import "strings"

// Rule says what the sandbox may change. Paths are relative to the folder,
// without "." or "..", "" being the folder itself.
type Rule struct {
	// WritableHooks lifts the protection of what the host would run.
	WritableHooks bool
	// Within is what the folder itself lies in, where that matters: ".git/modules" of a folder
	// /src/app/.git/modules, "" of most.
	Within string
	// Also are places, in lower case, that the repository's configuration names.
	Also []string
}

// Within is the end of a folder's path from the first name on that Protected knows.
func Within(folder string) string {
	parts := strings.Split(strings.Trim(folder, "/"), "/")
	for i, name := range parts {
		if name = strings.ToLower(name); name == gitName || everywhere[name] {
			return strings.Join(parts[i:], "/")
		}
	}
	return ""
}

// everywhere are names that a program of the host runs, or takes commands from,
// by itself when a person merely works in the folder: enters it, opens it in an
// editor, commits. Neither they nor anything beneath them can be changed.
var everywhere = map[string]bool{
	".envrc":                  true, // direnv, at cd
	".husky":                  true, // git hooks of npm projects
	".githooks":               true, // where core.hooksPath points by custom
	".pre-commit-config.yaml": true, // commands that an installed git hook runs
	"lefthook.yml":            true, // the same
	".lefthook.yml":           true,
	".vscode":                 true, // tasks that run when a folder is opened, paths of programs
	".idea":                   true, // run configurations, paths of interpreters
	".devcontainer":           true, // initializeCommand runs on the host
	".exrc":                   true, // vi, vim: read from the working directory
	".vimrc":                  true,
	".nvimrc":                 true,
	".nvim.lua":               true,
	".dir-locals.el":          true, // emacs
	".autoenv":                true, // autoenv, at cd
	".autoenv.zsh":            true,
	"mise.toml":               true, // mise, at cd: hooks, paths of tools
	".mise.toml":              true,
	".gdbinit":                true, // gdb
	".lldbinit":               true,
	".claude":                 true, // hooks of a coding agent on the host
	".mcp.json":               true, // programs that it starts
	".cortex":                 true, // our own project file
	".cortex-apply":           true, // an apply that was cut off is taken back by what lies there
	"commondir":               true, // with a HEAD beside it, it makes a folder a repository
}

// inGit are names beneath a .git folder that hold commands or point to such: the
// hooks, the configuration (core.fsmonitor, core.hooksPath, filters, aliases), a
// pointer to another folder that would be taken for the repository's, and the
// lines of a rebase, which may say exec.
var inGit = map[string]bool{
	"hooks":           true,
	"config":          true,
	"config.worktree": true,
	"commondir":       true,
	"gitdir":          true,
	"rebase-merge":    true,
	"rebase-apply":    true,
}

// plain are folders of a .git folder in which every name is data: a branch may
// be called hooks.
var plain = map[string]bool{"objects": true, "refs": true, "logs": true}

// Protected says whether what is called path may not be changed, made, replaced
// or removed.
func (r Rule) Protected(path string) bool {
	if r.WritableHooks {
		return false
	}
	if r.Within != "" {
		path = strings.TrimSuffix(r.Within+"/"+path, "/")
	}
	if path == "" {
		return false
	}
	path = strings.ToLower(path)
	for _, place := range r.Also {
		// What leads there is held as well: another could be put in its place.
		if strings.HasPrefix(path+"/", place+"/") || strings.HasPrefix(place, path+"/") {
			return true
		}
	}
	parts := strings.Split(path, "/")
	for i, name := range parts {
		if everywhere[name] {
			return true
		}
		if name == gitName {
			return i == len(parts)-1 || inRepository(parts[i+1:])
		}
	}
	return false
}

const gitName = ".git"

// inRepository looks at a path beneath a .git folder. Folders of submodules are
// repositories as well, whose names may have any form, so that beneath modules no
// folder is taken for plain data.
func inRepository(parts []string) bool {
	if plain[parts[0]] {
		return false
	}
	for _, name := range parts {
		if inGit[name] {
			return true
		}
	}
	return false
}

// parts of a repository without a work tree: git takes every folder that has all
// three for one, with its config and hooks, and needs no .git.
var parts = []string{"HEAD", "objects", "refs"}

// isPart says whether a name is one of the three, and gives the other two.
func isPart(name string) (others []string, is bool) {
	for _, part := range parts {
		if strings.EqualFold(part, name) {
			is = true
		} else {
			others = append(others, part)
		}
	}
	return others, is
}
