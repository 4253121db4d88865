package workspace

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Every pattern here is decided by the real git as well.
func TestIgnoredIsWhatGitIgnores(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(`
node_modules
*.log
!keep.log
/build
docs/*.txt
**/cache
a/**/z
/x/
tmp/
*.py[co]
[!abc]only
\#hash
\!bang
deep/**
sp ace
foo*bar
q?.c
trailing/
**/logs/**
/**/top.o
`), "\n")
	paths := strings.Fields(`
node_modules/x sub/node_modules/y a.log keep.log sub/keep.log build/x sub/build/x docs/a.txt docs/sub/a.txt
cache/x b/cache/x a/z a/b/z a/b/c/z b/a/z x/y y/x tmp/f tmp s/tmp/f m.pyc m.py m.pyo donly aonly #hash !bang
deep/one deep/two/three foobar fooxbar foo/bar q1.c q12.c trailing trailing/x logs/a b/logs/c/d top.o s/t/top.o
`)
	dir := t.TempDir()
	run := func(words ...string) string {
		command := exec.Command("git", append([]string{"-C", dir}, words...)...)
		output, err := command.CombinedOutput()
		if err != nil {
			t.Fatal(err, string(output))
		}
		return string(output)
	}
	run("init", "-q")
	if err := os.WriteFile(dir+"/.gitignore", []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, file := range paths {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(file)), 0o755); err != nil {
			continue
		}
		if os.WriteFile(filepath.Join(dir, file), nil, 0o644) == nil {
			files = append(files, file)
		}
	}
	seen := map[string]bool{}
	for _, file := range strings.Split(run("ls-files", "-z", "--others", "--exclude-standard"), "\x00") {
		seen[file] = true
	}
	root := &ignoring{patterns: parseIgnore([]byte(strings.Join(lines, "\n")))}
	for _, file := range files {
		if got := !ignoredWithFolders(root, file); got != seen[file] {
			t.Errorf("%s: seen %v, by git %v", file, got, seen[file])
		}
	}
	if len(files) < 35 {
		t.Fatal(len(files))
	}
}

// ignoredWithFolders: what lies in an ignored folder is never looked at.
func ignoredWithFolders(i *ignoring, file string) bool {
	for at, c := range file {
		if c == '/' && i.ignores(file[:at], true) {
			return true
		}
	}
	return i.ignores(file, false)
}

func FuzzIgnore(f *testing.F) {
	f.Add("a/**/b\n!c\n[", "a/x/b")
	f.Fuzz(func(_ *testing.T, content, name string) {
		(&ignoring{patterns: parseIgnore([]byte(content))}).ignores(name, false)
	})
}
