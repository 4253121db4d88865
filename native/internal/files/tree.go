package files

import (
	"strings"

	"golang.org/x/sys/unix"
)

// tree is an open folder beneath which paths are opened without ever leaving it: no link on the
// way is followed, however the folders change meanwhile.
type tree struct {
	root int
	// The kernel's own resolution does it in one call; where that is missing (gVisor, an old
	// seccomp list) each component is opened by itself, which is as safe and slower.
	byComponent bool
}

// newTree takes an open folder, which stays the caller's.
func newTree(root int) *tree {
	t := &tree{root: root}
	fd, err := t.openAtOnce(".", unix.O_PATH|unix.O_DIRECTORY)
	if err != nil {
		t.byComponent = true
		return t
	}
	unix.Close(fd)
	return t
}

// open opens a relative path that holds no `..`.
func (t *tree) open(path string, flags int) (int, error) {
	if t.byComponent {
		return t.openByComponent(path, flags)
	}
	return t.openAtOnce(path, flags)
}

func (t *tree) openAtOnce(path string, flags int) (int, error) {
	how := unix.OpenHow{
		Flags:   uint64(flags | unix.O_CLOEXEC | unix.O_NOFOLLOW),
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS,
	}
	for {
		fd, err := unix.Openat2(t.root, path, &how)
		// EAGAIN: a folder was renamed meanwhile and the kernel could not be certain.
		if err != unix.EINTR && err != unix.EAGAIN {
			return fd, err
		}
	}
}

func (t *tree) openByComponent(path string, flags int) (int, error) {
	at := t.root
	for {
		name, rest, more := strings.Cut(path, "/")
		if name == ".." {
			return -1, unix.EXDEV
		}
		step := flags | unix.O_NOFOLLOW
		if more {
			step = unix.O_PATH | unix.O_DIRECTORY | unix.O_NOFOLLOW
		}
		fd, err := open(at, name, step, 0)
		if at != t.root {
			unix.Close(at)
		}
		if err != nil || !more {
			return fd, err
		}
		at, path = fd, rest
	}
}
