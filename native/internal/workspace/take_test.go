package workspace

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cortex.dev/native/internal/launch"
	"golang.org/x/sys/unix"
)

// place is one as the driver oci has it.
func place(t *testing.T) Place {
	t.Helper()
	p := Place{Disk: filepath.Join(t.TempDir(), "disk"), Folder: "upper/home/agent/workspace", Base: "workspace"}
	if os.Geteuid() == 0 {
		p.Owned, p.UID, p.GID, p.Opaque = 2, 1000, 1000, "trusted.overlay.opaque"
	}
	return p
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func gitDo(t *testing.T, dir string, words ...string) string {
	t.Helper()
	command := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@t", "-c", "safe.directory=*"}, words...)...)
	command.Dir = dir
	output, err := command.CombinedOutput()
	if err != nil {
		t.Fatal(words, err, string(output))
	}
	return string(output)
}

// repository is a small checkout with uncommitted work in it.
func repository(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	gitDo(t, dir, "init", "-q", "-b", "main")
	write(t, dir+"/.gitignore", "node_modules/\n*.log\n")
	write(t, dir+"/src/app.py", "one\ntwo\nthree\n")
	write(t, dir+"/run.sh", "#!/bin/sh\n")
	write(t, dir+"/gone", "x\n")
	if err := errors.Join(os.Chmod(dir+"/run.sh", 0o755), os.Symlink("src/app.py", dir+"/link")); err != nil {
		t.Fatal(err)
	}
	gitDo(t, dir, "add", ".")
	gitDo(t, dir, "commit", "-qm", "first")
	gitDo(t, dir, "remote", "add", "origin", "https://me:secret@example.com/x.git")
	write(t, dir+"/.git/hooks/pre-commit", "#!/bin/sh\necho a hook of the host\n")
	write(t, dir+"/src/app.py", "one\nuncommitted\nthree\n")
	write(t, dir+"/untracked", "new\n")
	write(t, dir+"/node_modules/x/index.js", "ignored\n")
	write(t, dir+"/a.log", "ignored\n")
	if err := os.Remove(dir + "/gone"); err != nil {
		t.Fatal(err)
	}
	return dir
}

func take(t *testing.T, source string) Place {
	t.Helper()
	p := place(t)
	if _, err := Take(p, "sb_1", source); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestACheckoutIsCopiedAsItIsNow(t *testing.T) {
	p := take(t, repository(t))
	copied := p.folder()
	if got := read(t, copied+"/src/app.py") + read(t, copied+"/untracked"); got != "one\nuncommitted\nthree\nnew\n" {
		t.Fatal(got)
	}
	if target, err := os.Readlink(copied + "/link"); err != nil || target != "src/app.py" {
		t.Fatal(target, err)
	}
	for _, absent := range []string{"gone", "node_modules", "a.log"} {
		if _, err := os.Lstat(filepath.Join(copied, absent)); err == nil {
			t.Errorf("%s is there", absent)
		}
	}
	info, err := os.Stat(copied + "/run.sh")
	if err != nil || info.Mode().Perm() != 0o755 {
		t.Fatal(info, err)
	}
}

func TestTheCopyHasAGitOfItsOwnWithNothingOfTheHosts(t *testing.T) {
	p := take(t, repository(t))
	copied := p.folder()
	if got := gitDo(t, copied, "status", "--short"); got != " D gone\n M src/app.py\n?? untracked\n" {
		t.Fatal(got)
	}
	if got := gitDo(t, copied, "log", "--format=%s"); got != "first\n" {
		t.Fatal(got)
	}
	if config := read(t, copied+"/.git/config"); strings.Contains(config, "secret") || strings.Contains(config, "remote") {
		t.Fatal(config)
	}
	if hooks, err := os.ReadDir(copied + "/.git/hooks"); err != nil || len(hooks) != 0 {
		t.Fatal(hooks, err)
	}
	gitDo(t, copied, "commit", "-qam", "inside")
	gitDo(t, copied, "fsck")
}

func TestTheCopyBelongsToTheSandboxesUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Fatal("this test gives files away: it needs root")
	}
	p := take(t, repository(t))
	for name, want := range map[string]uint32{"upper/home": 0, "upper/home/agent": 1000, p.Folder: 1000, p.Folder + "/src/app.py": 1000, p.Folder + "/link": 1000, p.Folder + "/.git/HEAD": 1000} {
		var stat unix.Stat_t
		if err := unix.Lstat(filepath.Join(p.Disk, name), &stat); err != nil || stat.Uid != want {
			t.Error(name, stat.Uid, err)
		}
	}
	var opaque [1]byte
	if _, err := unix.Getxattr(p.folder(), p.Opaque, opaque[:]); err != nil || opaque[0] != 'y' {
		t.Fatal(opaque, err)
	}
}

func TestAPlainFolderIsCopiedWhole(t *testing.T) {
	dir := t.TempDir()
	write(t, dir+"/.gitignore", "*.log\n")
	write(t, dir+"/a.log", "kept\n")
	write(t, dir+"/nested/.git/config", "[remote]\n")
	if err := errors.Join(os.Mkdir(dir+"/empty", 0o755), unix.Mkfifo(dir+"/pipe", 0o644)); err != nil {
		t.Fatal(err)
	}
	p := place(t)
	taken, err := Take(p, "sb_1", dir)
	if err != nil || taken.Files != 2 || taken.Skipped != 1 || taken.Git {
		t.Fatal(taken, err)
	}
	if _, err := os.Stat(p.folder() + "/empty"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(p.folder() + "/nested/.git"); err == nil {
		t.Fatal("a repository's configuration came along")
	}
}

func TestAWorkTreeAndAFolderOfACheckout(t *testing.T) {
	dir := repository(t)
	tree := t.TempDir() + "/tree"
	gitDo(t, dir, "worktree", "add", "-q", "-b", "side", tree)
	p := take(t, tree)
	if got := gitDo(t, p.folder(), "rev-parse", "--abbrev-ref", "HEAD"); got != "side\n" {
		t.Fatal(got)
	}
	p = take(t, dir+"/src")
	if _, err := os.Lstat(p.folder() + "/.git"); err == nil {
		t.Fatal("a part of a checkout has a .git")
	}
	if got := read(t, p.folder()+"/app.py"); got != "one\nuncommitted\nthree\n" {
		t.Fatal(got)
	}
}

func TestASubmodulesFilesComeAlong(t *testing.T) {
	inner, outer := repository(t), repository(t)
	gitDo(t, outer, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner, "sub")
	p := take(t, outer)
	if got := read(t, p.folder()+"/sub/src/app.py"); got != "one\ntwo\nthree\n" {
		t.Fatal(got)
	}
	if _, err := os.Lstat(p.folder() + "/sub/.git"); err == nil {
		t.Fatal("the submodule's .git came along")
	}
}

func TestACopyThatWasCutOffIsMadeAnew(t *testing.T) {
	p := place(t)
	write(t, p.base()+"/content", "half")
	write(t, p.folder()+"/half", "x")
	if _, err := Take(p, "sb_1", repository(t)); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(p.folder() + "/half"); err == nil {
		t.Fatal("half of a copy is left")
	}
}

func TestWhatAKeptDiskHasIsNotOverwritten(t *testing.T) {
	source := repository(t)
	var failure *launch.Failure
	p := take(t, source)
	if _, err := Take(p, "sb_2", source); !errors.As(err, &failure) || failure.Code != launch.AlreadyExists {
		t.Fatal(err)
	}
	if _, err := Take(p, "sb_1", source); err != nil {
		t.Fatal("its own, taken again", err)
	}
	if err := Drop(p, "sb_2"); err != nil || !exists(p.folder()) {
		t.Fatal(err)
	}
	if err := Drop(p, "sb_1"); err != nil || exists(p.folder()) || exists(p.base()) {
		t.Fatal(err)
	}
	p = place(t)
	write(t, p.folder()+"/work", "of an earlier sandbox")
	if _, err := Take(p, "sb_1", source); !errors.As(err, &failure) || failure.Code != launch.AlreadyExists {
		t.Fatal(err)
	}
	if got := read(t, p.folder()+"/work"); got != "of an earlier sandbox" {
		t.Fatal(got)
	}
}

func TestALinkThatASandboxLeftOnTheWayIsNotFollowed(t *testing.T) {
	p, outside := place(t), t.TempDir()
	if err := errors.Join(os.MkdirAll(p.Disk+"/upper/home", 0o755), os.Symlink(outside, p.Disk+"/upper/home/agent")); err != nil {
		t.Fatal(err)
	}
	if _, err := Take(p, "sb_1", repository(t)); err == nil {
		t.Fatal("it was followed")
	}
	if entries, err := os.ReadDir(outside); err != nil || len(entries) != 0 {
		t.Fatal(entries, err)
	}
}

func TestWithoutIsolationTheCopyIsTheCallers(t *testing.T) {
	p := Place{Disk: filepath.Join(t.TempDir(), "disk"), Folder: "workspace", Base: ".base"}
	if _, err := Take(p, "sb_1", repository(t)); err != nil {
		t.Fatal(err)
	}
	write(t, p.folder()+"/untracked", "changed\n")
	equal(t, compare(t, p), "modified untracked +1 -1")
}

func TestAGitThatWaitsForSomethingIsEnded(t *testing.T) {
	dir := t.TempDir()
	gitDo(t, dir, "init", "-q")
	g, err := gitIn(dir)
	if err != nil {
		t.Fatal(err)
	}
	g.within = 100 * time.Millisecond
	if err := errors.Join(os.Remove(dir+"/.git/HEAD"), unix.Mkfifo(dir+"/.git/HEAD", 0o666)); err != nil {
		t.Fatal(err)
	}
	var failure *launch.Failure
	if _, err := g.run(nil, "rev-parse", "HEAD"); !errors.As(err, &failure) || failure.Code != launch.Deadline {
		t.Errorf("answered %v", err)
	}
}

func TestAPipeInThePlaceOfAFileOfGitIsNoFile(t *testing.T) {
	source := repository(t)
	c := &copying{place: place(t), to: &tree{-1}}
	pipe := source + "/.git/ORIG_HEAD"
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	var failure *launch.Failure
	if err := c.plain(copied{pipe, ".git/ORIG_HEAD"}, make([]byte, 10)); !errors.As(err, &failure) || failure.Code != launch.InvalidArgument {
		t.Errorf("answered %v", err)
	}
}

func TestAnotherFolderUnderTheNameIsNoticed(t *testing.T) {
	parent := t.TempDir()
	for _, name := range []string{"source", "other"} {
		if err := os.Mkdir(parent+"/"+name, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	from, err := openSource(parent + "/source")
	if err != nil {
		t.Fatal(err)
	}
	defer from.close()
	if err := from.named(parent + "/source"); err != nil {
		t.Error(err)
	}
	if err := errors.Join(os.Rename(parent+"/source", parent+"/moved"), os.Symlink(parent+"/other", parent+"/source")); err != nil {
		t.Fatal(err)
	}
	var failure *launch.Failure
	if err := from.named(parent + "/source"); !errors.As(err, &failure) || failure.Code != launch.Denied {
		t.Errorf("answered %v", err)
	}
}

func TestAFailureLeavesNothing(t *testing.T) {
	p := place(t)
	source := t.TempDir()
	gitDo(t, source, "init", "-q")
	if err := os.WriteFile(source+"/.git/HEAD", []byte("no such thing"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Take(p, "sb_1", source); err == nil {
		t.Fatal("a broken checkout was copied")
	}
	for _, path := range []string{p.folder(), p.base()} {
		if _, err := os.Lstat(path); err == nil {
			t.Errorf("%s is left", path)
		}
	}
}

// TAKE_FROM=DIR go test ./internal/workspace -run '^$' -bench Take -benchtime 5x
func BenchmarkTake(b *testing.B) {
	from := os.Getenv("TAKE_FROM")
	if from == "" {
		b.Fatal("TAKE_FROM names no folder")
	}
	for range b.N {
		b.StopTimer()
		disk, err := os.MkdirTemp("", "take")
		if err != nil {
			b.Fatal(err)
		}
		p := Place{Disk: disk, Folder: "upper/home/agent/workspace", Base: "workspace", Owned: 2, UID: 1000, GID: 1000}
		b.StartTimer()
		if _, err := Take(p, "sb_1", from); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		_ = os.RemoveAll(disk)
	}
}
