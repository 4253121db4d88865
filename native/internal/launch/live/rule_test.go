package live

import (
	"errors"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

func TestWhatTheHostWouldRunIsProtectedAtAnyDepth(t *testing.T) {
	for _, path := range []string{
		".git", "a/.git", "a/b/c/.git", ".GIT", "a/.Git/HOOKS/post-commit",
		".git/hooks", ".git/hooks/pre-commit", "sub/.git/hooks/x", ".git/config", ".git/config.worktree",
		".git/commondir", ".git/worktrees/w/commondir", ".git/worktrees/w/gitdir", ".git/modules/m/config",
		".git/modules/a/refs/b/hooks/x", ".git/rebase-merge/git-rebase-todo",
		".envrc", "deep/down/.envrc", ".husky/pre-commit", ".vscode/tasks.json", "x/.cortex/config.yaml",
	} {
		if !(Rule{}).Protected(path) {
			t.Errorf("%s can be changed", path)
		}
		if (Rule{WritableHooks: true}).Protected(path) {
			t.Errorf("%s cannot be changed although it was asked for", path)
		}
	}
}

func TestWorkAndCommitsGoOn(t *testing.T) {
	for _, path := range []string{
		"", "src", "src/main.go", "hooks/x", "config", "git/config", ".gitignore", ".gitattributes", ".github/workflows/x.yml",
		".git/index", ".git/index.lock", ".git/HEAD", ".git/HEAD.lock", ".git/COMMIT_EDITMSG", ".git/MERGE_MSG",
		".git/objects/ab/cdef", ".git/objects/pack/tmp_pack", ".git/refs/heads/hooks", ".git/refs/heads/config",
		".git/logs/refs/heads/config", ".git/worktrees/w/HEAD", ".git/worktrees/w/index", ".git/packed-refs.lock",
	} {
		if (Rule{}).Protected(path) {
			t.Errorf("%s cannot be changed", path)
		}
	}
}

func openFolder(t *testing.T, dir string) *os.File {
	t.Helper()
	folder, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = folder.Close() })
	return folder
}

func TestAConfigurationThatIsAPipeOrLiesElsewhereIsNotRead(t *testing.T) {
	outside, dir, piped := t.TempDir(), t.TempDir(), t.TempDir()
	write(t, outside+"/config", "[core]\n\thooksPath = tools\n")
	if err := os.Symlink(outside, dir+"/.git"); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Mkdir(piped+"/.git", 0o700), unix.Mkfifo(piped+"/.git/config", 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{dir, piped} {
		if places := configured(openFolder(t, folder), folder); len(places) > 0 {
			t.Errorf("read %v", places)
		}
	}
}

func TestWhatTheConfigurationNamesIsProtectedWithItsFolders(t *testing.T) {
	dir := t.TempDir()
	write(t, dir+"/.git/config", "[core]\n\tbare = false\n\thooksPath = tools/Hooks\n[include]\n\tpath = ../shared.gitconfig\n"+
		"[includeIf \"onbranch:main\"]\n\tpath = "+dir+"/other\n[alias]\n\tpath = harmless\n[include]\n\tpath = /etc/gitconfig\n")
	rule := Rule{Also: configured(openFolder(t, dir), dir)}
	for _, path := range []string{"tools", "tools/hooks", "tools/hooks/pre-commit", "shared.gitconfig", "other"} {
		if !rule.Protected(path) {
			t.Errorf("%s can be changed: %v", path, rule.Also)
		}
	}
	for _, path := range []string{"tools/x", "tools2", "harmless", "etc/gitconfig"} {
		if rule.Protected(path) {
			t.Errorf("%s cannot be changed: %v", path, rule.Also)
		}
	}
}
