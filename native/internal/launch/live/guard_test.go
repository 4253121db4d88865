package live

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"cortex.dev/native/internal/launch"
	"golang.org/x/sys/unix"
)

// The guard is this test's program run again.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == Verb {
		if err := Serve(os.Args[2:]); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// mounted shows a folder of the host at another place, as the test's own user.
func mounted(t *testing.T, step launch.Live) (host, inside string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Fatal("this test mounts: it needs root")
	}
	host, inside = t.TempDir(), t.TempDir()
	step.Source = host
	mount, err := Prepare("sb_test", step, Settings{NobodyUID: 65534, NobodyGID: 65534})
	if err != nil {
		t.Fatal(err)
	}
	target, err := unix.Open(inside, unix.O_PATH|unix.O_DIRECTORY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(target)
	if err := mount.On(target); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(inside, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
		_, _ = syscall.Wait4(-1, nil, 0, nil) // the guard, which ends with its mount
	})
	return host, inside
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
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

func refused(t *testing.T, what string, err error) {
	t.Helper()
	if !errors.Is(err, unix.EPERM) && !errors.Is(err, unix.EACCES) {
		t.Errorf("%s: %v", what, err)
	}
}

func TestBothSidesSeeWhatTheOtherWrites(t *testing.T) {
	host, inside := mounted(t, launch.Live{})
	write(t, host+"/a/from-host", "one")
	if got := read(t, inside+"/a/from-host"); got != "one" {
		t.Fatal(got)
	}
	write(t, inside+"/a/from-inside", "two")
	if got := read(t, host+"/a/from-inside"); got != "two" {
		t.Fatal(got)
	}
	write(t, host+"/a/from-host", "longer than before")
	deadline := time.Now().Add(10 * time.Second)
	for read(t, inside+"/a/from-host") != "longer than before" {
		if time.Now().After(deadline) {
			t.Fatal("the change is not seen inside")
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func TestFilesBehaveAsFilesDo(t *testing.T) {
	host, inside := mounted(t, launch.Live{})
	write(t, inside+"/f", "content")
	for _, err := range []error{
		os.Chmod(inside+"/f", 0o755), os.Truncate(inside+"/f", 3), os.Link(inside+"/f", inside+"/second"),
		os.Symlink("f", inside+"/link"), os.Mkdir(inside+"/dir", 0o700), os.Rename(inside+"/f", inside+"/dir/g"),
		os.Chtimes(inside+"/dir/g", time.Unix(1, 0), time.Unix(2, 0)), unix.Mkfifo(inside+"/pipe", 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	info, err := os.Stat(host + "/dir/g")
	if err != nil || info.Size() != 3 || info.Mode().Perm() != 0o755 || info.ModTime().Unix() != 2 {
		t.Fatal(info, err)
	}
	file, err := os.OpenFile(inside+"/open", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := os.Remove(inside + "/open"); err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteString("without a name"); err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * fresh)
	if info, err := file.Stat(); err != nil || info.Size() != 14 {
		t.Fatal(info, err)
	}
	entries, err := os.ReadDir(inside)
	if err != nil || len(entries) != 4 {
		t.Fatal(entries, err)
	}
}

func TestNothingThatTheHostWouldRunCanBePlanted(t *testing.T) {
	host, inside := mounted(t, launch.Live{})
	write(t, host+"/.git/HEAD", "ref: refs/heads/main\n")
	write(t, host+"/.git/config", "[core]\n")
	write(t, host+"/.git/hooks/pre-commit", "#!/bin/sh\n")
	write(t, host+"/x/hooks/evil", "#!/bin/sh\n")
	write(t, host+"/x/.git/config", "[core]\n")

	write(t, inside+"/.git/index", "work goes on")
	hook := inside + "/.git/hooks/pre-commit"
	refused(t, "write a hook", os.WriteFile(hook, []byte("evil"), 0o755))
	refused(t, "make a hook", os.WriteFile(inside+"/.git/hooks/post-commit", []byte("evil"), 0o755))
	refused(t, "chmod a hook", os.Chmod(hook, 0o777))
	refused(t, "truncate the config", os.Truncate(inside+"/.git/config", 0))
	refused(t, "link to the config", os.Link(inside+"/.git/config", inside+"/plain"))
	refused(t, "remove a hook", os.Remove(hook))
	refused(t, "move the repository", os.Rename(inside+"/.git", inside+"/elsewhere"))
	refused(t, "make a repository in a new folder", mkdirs(inside+"/new/.git"))
	refused(t, "a file in its place", os.WriteFile(inside+"/new/.git", []byte("gitdir: ../evil"), 0o644))
	refused(t, "a link in its place", os.Symlink("../evil", inside+"/new/.git"))
	write(t, inside+"/evil/hooks/pre-commit", "#!/bin/sh")
	refused(t, "rename into place", os.Rename(inside+"/evil", inside+"/new/.git"))
	refused(t, "the same below a moved parent", func() error {
		if err := os.Rename(inside+"/x", inside+"/y"); err != nil {
			return err
		}
		return os.Rename(inside+"/y/hooks", inside+"/y/.git/hooks")
	}())
	if err := os.Symlink(".git", inside+"/way"); err != nil {
		t.Fatal(err)
	}
	refused(t, "through a link", os.WriteFile(inside+"/way/hooks/post-merge", []byte("evil"), 0o755))
	refused(t, "exchange", unix.Renameat2(unix.AT_FDCWD, inside+"/evil", unix.AT_FDCWD, inside+"/.git", unix.RENAME_EXCHANGE))
	refused(t, "the stage of an apply", os.Mkdir(inside+"/.cortex-apply", 0o700))
	refused(t, "direnv", os.WriteFile(inside+"/new/.envrc", []byte("evil"), 0o644))
	refused(t, "a device", unix.Mknod(inside+"/null", unix.S_IFCHR|0o666, int(unix.Mkdev(1, 3))))
	if got := read(t, host+"/.git/hooks/pre-commit") + read(t, host+"/.git/config"); got != "#!/bin/sh\n[core]\n" {
		t.Fatal(got)
	}
}

func mkdirs(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.Mkdir(path, 0o755)
}

func TestAFolderBecomesNoRepositoryWithoutAWorkTree(t *testing.T) {
	host, inside := mounted(t, launch.Live{})
	write(t, inside+"/bare/config", "[core]\n\tfsmonitor = evil\n")
	write(t, inside+"/bare/HEAD", "ref: refs/heads/main\n")
	if err := os.Mkdir(inside+"/bare/objects", 0o755); err != nil {
		t.Fatal(err)
	}
	refused(t, "the third part", os.Mkdir(inside+"/bare/refs", 0o755))
	refused(t, "moved there", func() error {
		if err := os.Mkdir(inside+"/r", 0o755); err != nil {
			return err
		}
		return os.Rename(inside+"/r", inside+"/bare/refs")
	}())
	write(t, host+"/theirs/HEAD", "ref: refs/heads/main\n")
	for _, dir := range []string{"objects", "refs", "hooks"} {
		if err := os.Mkdir(host+"/theirs/"+dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	refused(t, "its config", os.WriteFile(inside+"/theirs/config", []byte("evil"), 0o644))
	refused(t, "its hooks", os.WriteFile(inside+"/theirs/hooks/update", []byte("evil"), 0o755))
}

func TestAFolderThatIsExchangedMeanwhileIsNotCompleted(t *testing.T) {
	host, inside := mounted(t, launch.Live{})
	write(t, inside+"/a/HEAD", "ref: refs/heads/main\n")
	write(t, inside+"/b/HEAD", "ref: refs/heads/main\n")
	write(t, inside+"/b/config", "[core]\n\tfsmonitor = evil\n")
	if err := os.Mkdir(inside+"/b/objects", 0o755); err != nil {
		t.Fatal(err)
	}
	end := make(chan struct{})
	var exchanging sync.WaitGroup
	exchanging.Go(func() {
		for {
			select {
			case <-end:
				return
			default:
				_ = unix.Renameat2(unix.AT_FDCWD, inside+"/a", unix.AT_FDCWD, inside+"/b", unix.RENAME_EXCHANGE)
			}
		}
	})
	defer exchanging.Wait()
	defer close(end)
	for until := time.Now().Add(3 * time.Second); time.Now().Before(until); {
		_ = os.Mkdir(inside+"/a/refs", 0o755)
		for _, folder := range []string{"/a", "/b"} {
			// By a descriptor: the name may mean the other one at any moment.
			if whole := allParts(t, host+folder); whole {
				t.Fatal("a folder with a config of the sandbox's became a repository")
			}
		}
		_, _ = os.Remove(inside+"/a/refs"), os.Remove(inside+"/b/refs")
	}
}

func allParts(t *testing.T, folder string) bool {
	t.Helper()
	opened, err := unix.Open(folder, unix.O_PATH|unix.O_DIRECTORY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(opened)
	for _, part := range parts {
		if unix.Faccessat(opened, part, unix.F_OK, 0) != nil {
			return false
		}
	}
	return true
}

func TestWhoAsksForHooksMayWriteThem(t *testing.T) {
	host, inside := mounted(t, launch.Live{WritableHooks: true})
	write(t, inside+"/.git/hooks/pre-commit", "asked for")
	if got := read(t, host+"/.git/hooks/pre-commit"); got != "asked for" {
		t.Fatal(got)
	}
}

func TestAReadOnlyMountIsReadOnly(t *testing.T) {
	host, inside := mounted(t, launch.Live{ReadOnly: true})
	write(t, host+"/f", "x")
	if got := read(t, inside+"/f"); got != "x" {
		t.Fatal(got)
	}
	if err := os.WriteFile(inside+"/g", nil, 0o644); !errors.Is(err, unix.EROFS) {
		t.Fatal(err)
	}
}

func TestNobodyGivesFilesAwayOrRights(t *testing.T) {
	host, inside := mounted(t, launch.Live{})
	write(t, inside+"/f", "x")
	refused(t, "chown", os.Chown(inside+"/f", 12, 12))
	if err := os.Chmod(inside+"/f", 0o755|os.ModeSetuid|os.ModeSetgid); err != nil {
		t.Fatal(err)
	}
	var stat unix.Stat_t
	if err := unix.Stat(host+"/f", &stat); err != nil || stat.Mode&0o7777 != 0o755 {
		t.Fatalf("%o %v", stat.Mode, err)
	}
}

func TestTheOwnerOfTheFolderMakesItsFiles(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Fatal("this test mounts: it needs root")
	}
	host := t.TempDir()
	if err := errors.Join(os.Chmod(filepath.Dir(host), 0o755), os.Chown(host, 4321, 4321)); err != nil {
		t.Fatal(err)
	}
	write(t, host+"/roots", "x")
	inside := t.TempDir()
	mount, err := Prepare("sb_test", launch.Live{Source: host}, Settings{UID: 1000, GID: 1000, NobodyUID: 65534, NobodyGID: 65534})
	if err != nil {
		t.Fatal(err)
	}
	target, err := unix.Open(inside, unix.O_PATH|unix.O_DIRECTORY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(target)
	if err := mount.On(target); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = unix.Unmount(inside, unix.MNT_DETACH)
		_, _ = syscall.Wait4(-1, nil, 0, nil)
	})
	write(t, inside+"/made", "x")
	var outside, shown, others unix.Stat_t
	if err := errors.Join(unix.Stat(host+"/made", &outside), unix.Stat(inside+"/made", &shown), unix.Stat(inside+"/roots", &others)); err != nil {
		t.Fatal(err)
	}
	if outside.Uid != 4321 || shown.Uid != 1000 || others.Uid != 65534 {
		t.Fatal(outside.Uid, shown.Uid, others.Uid)
	}
}

func TestAGoneFolderIsNamed(t *testing.T) {
	_, err := Prepare("sb_test", launch.Live{Source: "/no/such/folder"}, Settings{})
	var failure *launch.Failure
	if !errors.As(err, &failure) || failure.Code != launch.NotFound || !strings.Contains(failure.Remedy, "mkdir") {
		t.Fatal(err)
	}
}

func TestALinkThatWasPutOnTheWayToTheFolderIsNotFollowed(t *testing.T) {
	above, elsewhere := t.TempDir(), t.TempDir()
	if err := errors.Join(os.Mkdir(elsewhere+"/folder", 0o755), os.Symlink(elsewhere, above+"/project")); err != nil {
		t.Fatal(err)
	}
	_, err := Prepare("sb_test", launch.Live{Source: above + "/project/folder"}, Settings{})
	var failure *launch.Failure
	if !errors.As(err, &failure) || failure.Code != launch.Denied {
		t.Fatal(err)
	}
}

func TestAPreparedMountCanBeUndone(t *testing.T) {
	mount, err := Prepare("sb_test", launch.Live{Source: t.TempDir()}, Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if err := mount.Undo(); err != nil {
		t.Fatal(err)
	}
}
