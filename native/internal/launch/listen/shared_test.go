package listen

import (
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"cortex.dev/native/internal/launch"
)

// share makes a folder whose owner inside is this test.
func share(t *testing.T) (Shared, launch.Listen) {
	t.Helper()
	run := t.TempDir()
	if err := os.Chmod(run, 0o700); err != nil {
		t.Fatal(err)
	}
	spec := launch.Listen{Path: filepath.Join(run, "n.sock"), Shared: filepath.Join(run, "channel")}
	shared, err := Share(spec, os.Geteuid(), os.Getegid())
	if err != nil {
		t.Fatal(err)
	}
	return shared, spec
}

func serve(t *testing.T, path string) net.Listener {
	t.Helper()
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	return listener
}

func always() bool { return true }

func soon() time.Time { return time.Now().Add(20 * time.Second) }

func TestASharedSocketIsReachedByTheHostsOwnLinkWhateverIsDoneToTheFolder(t *testing.T) {
	shared, spec := share(t)
	inside := filepath.Join(spec.Shared, SharedName)
	listener := serve(t, inside)
	file, err := shared.Bound(always, soon())
	if err != nil || file.Path != spec.Path {
		t.Fatal(file, err)
	}
	// What root inside would do if it could still enter the folder.
	if err := os.Remove(inside); err != nil {
		t.Fatal(err)
	}
	serve(t, inside)
	// The launcher's own look at whether it serves comes first.
	if looked, err := listener.Accept(); err != nil {
		t.Fatal(err)
	} else {
		_ = looked.Close()
	}
	host, err := net.Dial("unix", spec.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer host.Close()
	if accepted, err := listener.Accept(); err != nil {
		t.Error("another was dialled: ", err)
	} else {
		_ = accepted.Close()
	}
}

func TestWhatIsNoSocketIsNotTakenAndNotFollowed(t *testing.T) {
	for name, plant := range map[string]func(place, other string) error{
		"a link":   func(place, other string) error { return os.Symlink(other, place) },
		"a file":   func(place, _ string) error { return os.WriteFile(place, []byte("x"), 0o600) },
		"a folder": func(place, _ string) error { return os.Mkdir(place, 0o700) },
	} {
		t.Run(name, func(t *testing.T) {
			shared, spec := share(t)
			other := filepath.Join(t.TempDir(), "hosts.sock")
			listener := serve(t, other)
			if err := plant(filepath.Join(spec.Shared, SharedName), other); err != nil {
				t.Fatal(err)
			}
			if file, err := shared.Bound(always, soon()); err == nil {
				t.Errorf("took %+v", file)
			}
			if _, err := os.Lstat(spec.Path); err == nil {
				t.Error("a link to it was left")
			}
			_ = listener.(*net.UnixListener).SetDeadline(time.Now().Add(50 * time.Millisecond))
			if _, err := listener.Accept(); err == nil {
				t.Error("the host's socket was dialled")
			}
		})
	}
}

func TestAFirstProcessThatEndsIsNotWaitedFor(t *testing.T) {
	shared, _ := share(t)
	if _, err := shared.Bound(func() bool { return false }, soon()); err == nil {
		t.Fatal("a socket appeared")
	}
}
