package tree

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestWipeFollowsNoLink(t *testing.T) {
	outside, root := t.TempDir(), filepath.Join(t.TempDir(), "disk")
	write(t, filepath.Join(outside, "kept"), "x")
	write(t, filepath.Join(root, "a/b/c"), "x")
	for name, target := range map[string]string{"out": outside, "a/out": outside, "up": "..", "loop": "loop"} {
		if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Link(filepath.Join(outside, "kept"), filepath.Join(root, "hard")); err != nil {
		t.Fatal(err)
	}
	removed, err := Wipe(root)
	if err != nil || removed != 9 {
		t.Fatalf("removed %d, %v", removed, err)
	}
	if _, err := os.Lstat(root); !os.IsNotExist(err) {
		t.Fatal("the root is still there")
	}
	if data, err := os.ReadFile(filepath.Join(outside, "kept")); err != nil || string(data) != "x" {
		t.Fatalf("outside: %q, %v", data, err)
	}
}

func TestWipeOfALinkRemovesTheLinkAlone(t *testing.T) {
	outside := t.TempDir()
	write(t, filepath.Join(outside, "kept"), "x")
	link := filepath.Join(t.TempDir(), "disk")
	if err := os.Symlink(outside, link); err != nil {
		t.Fatal(err)
	}
	if _, err := Wipe(link); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(outside, "kept")); err != nil {
		t.Fatal(err)
	}
}

func TestWipeOfNothingIsDone(t *testing.T) {
	for _, path := range []string{filepath.Join(t.TempDir(), "none"), filepath.Join(t.TempDir(), "none", "none")} {
		if removed, err := Wipe(path); err != nil || removed != 0 {
			t.Fatalf("removed %d, %v", removed, err)
		}
	}
}

func TestWipeComesThroughAnyDepth(t *testing.T) {
	root := filepath.Join(t.TempDir(), "disk")
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatal(err)
	}
	dir, err := unix.Open(root, unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	const depth = 3 * maxDepth
	for range depth {
		name := strings.Repeat("d", 200)
		if err := unix.Mkdirat(dir, name, 0o700); err != nil {
			t.Fatal(err)
		}
		file, err := unix.Openat(dir, "f", unix.O_CREAT|unix.O_WRONLY|unix.O_CLOEXEC, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		_ = unix.Close(file)
		next, err := unix.Openat(dir, name, unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		_ = unix.Close(dir)
		dir = next
	}
	_ = unix.Close(dir)
	if _, err := Wipe(root); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(root); !os.IsNotExist(err) {
		t.Fatal("it is still there")
	}
}

func TestWipeStopsAtAMount(t *testing.T) {
	needsRoot(t)
	root := filepath.Join(t.TempDir(), "disk")
	mounted := filepath.Join(root, "mounted")
	if err := os.MkdirAll(mounted, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("tmpfs", mounted, "tmpfs", 0, "size=64k"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Unmount(mounted, unix.MNT_DETACH) })
	write(t, filepath.Join(mounted, "kept"), "x")
	if _, err := Wipe(root); err == nil {
		t.Fatal("it went over the mount")
	}
	if _, err := os.Stat(filepath.Join(mounted, "kept")); err != nil {
		t.Fatal(err)
	}
}

func TestUsageCountsAFileWithTwoNamesOnceAndNoHoles(t *testing.T) {
	root := filepath.Join(t.TempDir(), "disk")
	write(t, filepath.Join(root, "a"), strings.Repeat("x", 1<<20))
	if err := os.Link(filepath.Join(root, "a"), filepath.Join(root, "b")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/usr", filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(root, "hole"), "")
	if err := os.Truncate(filepath.Join(root, "hole"), 1<<30); err != nil {
		t.Fatal(err)
	}
	used, err := Usage(root)
	if err != nil || used.Entries != 5 || used.Bytes < 1<<20 || used.Bytes > 1<<20+64<<10 {
		t.Fatalf("measured %+v, %v", used, err)
	}
}

func needsRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Fatal("this test needs root")
	}
}
