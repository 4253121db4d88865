package files

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"cortex.dev/native/internal/testkit/need"
)

// someone is a user who owns nothing.
const someone = 54_321

// asRoot says why a test cannot run for an ordinary user; in CI that is a failure.
func asRoot(t *testing.T) {
	t.Helper()
	need.Root(t, "it takes another user's file rights")
}

func other(t *testing.T) (Caller, string) {
	t.Helper()
	asRoot(t)
	_, dir := here(t)
	// The test's folder and the one that go test made for it are closed to others.
	for _, own := range []string{dir, filepath.Dir(dir)} {
		ok(t, os.Chmod(own, 0o755))
	}
	return Caller{UID: someone, GID: someone, Cwd: dir, Home: dir, Switch: true}, dir
}

func TestACallerHasItsOwnFileRightsAndNoMore(t *testing.T) {
	c, dir := other(t)
	write(t, dir+"/secret", "root's")
	ok(t, os.Chmod(dir+"/secret", 0o600))
	ok(t, os.MkdirAll(dir+"/closed/inner", 0o700))
	ok(t, os.Chmod(dir+"/closed", 0o700))
	ctx := context.Background()

	_, err := pull(t, c, Copy{Shape: File, Path: "secret"})
	wantCode(t, err, Denied, "secret")
	wantCode(t, push(t, c, Copy{Shape: File, Path: "new"}, strings.NewReader("x")), Denied, "new")
	wantCode(t, push(t, c, Copy{Shape: File, Path: "secret", Offset: 1}, strings.NewReader("x")), Denied, "secret")
	_, err = c.Stat("closed/inner", true)
	wantCode(t, err, Denied, "closed/inner")
	_, _, err = c.List(ctx, "closed", 1, 0, "")
	wantCode(t, err, Denied, "closed")
	_, err = c.Remove(ctx, "secret", false)
	wantCode(t, err, Denied, "secret")
	_, err = c.MakeDirectory("folder", false, 0)
	wantCode(t, err, Denied, "folder")
	wantCode(t, c.Move(ctx, "secret", "elsewhere", false), Denied, "secret")
	_, _, err = c.Resolve("closed/inner")
	wantCode(t, err, Denied, "closed/inner")

	entries, _, err := c.List(ctx, dir, 3, 0, "")
	if err != nil || fmt.Sprint(paths(entries, dir)) != "[closed secret]" {
		t.Fatalf("a folder further down that is closed: got %v, %v", paths(entries, dir), err)
	}
}

func TestWhatACallerMakesIsItsOwn(t *testing.T) {
	c, dir := other(t)
	ok(t, os.Mkdir(dir+"/open", 0o777))
	ok(t, os.Chmod(dir+"/open", 0o777))
	ok(t, push(t, c, Copy{Shape: File, Path: "open/a/file", MakeParents: true}, strings.NewReader("x")))
	_, err := c.MakeDirectory("open/b", false, 0o750)
	ok(t, err)
	for _, path := range []string{"open/a", "open/a/file", "open/b"} {
		if info := must[Info](t)(c.Stat(path, false)); info.UID != someone || info.GID != someone {
			t.Errorf("%s belongs to %d:%d", path, info.UID, info.GID)
		}
	}
}

func TestRootReplacingAUsersFileLeavesItTheirs(t *testing.T) {
	c, dir := other(t)
	write(t, dir+"/theirs", "old")
	ok(t, os.Chown(dir+"/theirs", someone, someone))
	ok(t, push(t, Caller{Cwd: dir, Switch: true}, Copy{Shape: File, Path: "theirs"}, strings.NewReader("new")))
	if info := must[Info](t)(c.Stat("theirs", false)); info.UID != someone || info.Mode != 0o644 {
		t.Fatalf("got %+v", info)
	}
}

func TestSupplementaryGroupsCount(t *testing.T) {
	c, dir := other(t)
	write(t, dir+"/shared", "group's")
	ok(t, os.Chown(dir+"/shared", 0, 777))
	ok(t, os.Chmod(dir+"/shared", 0o640))
	_, err := pull(t, c, Copy{Shape: File, Path: "shared"})
	wantCode(t, err, Denied, "shared")
	c.Groups = []uint32{5, 777}
	if got, err := pull(t, c, Copy{Shape: File, Path: "shared"}); err != nil || string(got) != "group's" {
		t.Fatal(string(got), err)
	}
}

func TestEveryThreadComesBackAsItWas(t *testing.T) {
	c, dir := other(t)
	c.Groups = []uint32{1, 2, 3}
	write(t, dir+"/secret", "root's")
	ok(t, os.Chmod(dir+"/secret", 0o600))
	var all sync.WaitGroup
	for range 64 {
		all.Go(func() {
			for range 50 {
				_, err := pull(t, c, Copy{Shape: File, Path: "secret"})
				if CodeOf(err) != Denied {
					t.Errorf("as the caller: %v", err)
				}
				if _, err := os.ReadFile(dir + "/secret"); err != nil {
					t.Errorf("as root: %v", err)
				}
			}
		})
	}
	all.Wait()
	threads := must[[]os.DirEntry](t)(os.ReadDir("/proc/self/task"))
	for _, thread := range threads {
		status, err := os.ReadFile("/proc/self/task/" + thread.Name() + "/status")
		if err != nil {
			continue // ended
		}
		if !strings.Contains(string(status), "\nUid:\t0\t0\t0\t0\n") || strings.Contains(string(status), "Groups:\t1 2 3") {
			t.Errorf("thread %s kept a caller's rights:\n%s", thread.Name(), status)
		}
	}
}

func TestFileCapabilitiesAreGoneWhileACallerWorks(t *testing.T) {
	c, _ := other(t)
	ok(t, c.as(func() error {
		held, err := effectiveCapabilities()
		if held&fileCapabilities != 0 {
			t.Errorf("kept %#x", held&fileCapabilities)
		}
		return err
	}))
}

func TestAThreadThatKeepsItsCapabilitiesIsRefused(t *testing.T) {
	c, _ := other(t)
	const secbitNoSetuidFixup = 1 << 2
	done := make(chan error)
	// The bit is the thread's own and stays, so the thread must end: its goroutine never unlocks it.
	go func() {
		runtime.LockOSThread()
		if _, _, errno := unix.RawSyscall6(unix.SYS_PRCTL, unix.PR_SET_SECUREBITS, secbitNoSetuidFixup, 0, 0, 0, 0); errno != 0 {
			done <- errno
			return
		}
		before, err := threadRights()
		if err == nil {
			err = c.take(before)
		}
		done <- err
	}()
	wantCode(t, <-done, Internal, "kept file capabilities")
}

func TestAPanicComesOutWhereTheWorkWasAskedFor(t *testing.T) {
	c, _ := other(t)
	defer func() {
		if recover() != "on purpose" {
			t.Error("the panic was lost")
		}
	}()
	_ = c.as(func() error { panic("on purpose") })
}
