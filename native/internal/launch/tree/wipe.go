// Package tree removes and measures folders that hold files of mapped users and
// whatever a guest put there. It works by descriptors from a root on and follows
// no link, so that it cannot be led out of the root.
package tree

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// maxDepth is more than any tree that a guest can make by mkdir of one path at a
// time has in practice; it bounds the descriptors that are open at once.
const maxDepth = 512

// Wipe removes a folder and everything in it, and counts what it removed. It
// does not cross into another mount. A folder that is not there is no error.
func Wipe(root string) (int64, error) {
	parent, err := unix.Open(filepath.Dir(root), unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ENOENT) {
		return 0, nil
	}
	if err != nil {
		return 0, &os.PathError{Op: "open", Path: filepath.Dir(root), Err: err}
	}
	defer unix.Close(parent)
	w := &wiper{}
	err = w.remove(parent, filepath.Base(root), 0)
	return w.removed, err
}

type wiper struct{ removed int64 }

func (w *wiper) remove(parent int, name string, depth int) error {
	err := unix.Unlinkat(parent, name, 0)
	switch {
	case err == nil:
		w.removed++
		return nil
	case errors.Is(err, unix.ENOENT):
		return nil
	case errors.Is(err, unix.EISDIR):
		return w.removeDir(parent, name, depth)
	case errors.Is(err, unix.EPERM):
		// Either a folder on some file systems, or a file marked immutable.
		if err := w.removeDir(parent, name, depth); !errors.Is(err, unix.ENOTDIR) {
			return err
		}
		return w.removeMarked(parent, name)
	default:
		return fmt.Errorf("removing %q: %w", name, err)
	}
}

func (w *wiper) removeDir(parent int, name string, depth int) error {
	dir, err := openDir(parent, name)
	if err != nil {
		return fmt.Errorf("entering %q: %w", name, err)
	}
	err = w.empty(dir, depth)
	_ = unix.Close(dir)
	if err != nil {
		return err
	}
	if err := unix.Unlinkat(parent, name, unix.AT_REMOVEDIR); err != nil && !errors.Is(err, unix.ENOENT) {
		return fmt.Errorf("removing the folder %q: %w", name, err)
	}
	w.removed++
	return nil
}

// empty removes what is in a folder. What lies deeper than maxDepth is lifted
// up first, so that depth cannot stop it.
func (w *wiper) empty(dir, depth int) error {
	for {
		names, err := list(dir)
		if err != nil || len(names) == 0 {
			return err
		}
		for _, name := range names {
			if depth >= maxDepth {
				err = w.flatten(dir, name)
			} else {
				err = w.remove(dir, name, depth+1)
			}
			if err != nil {
				return err
			}
		}
	}
}

// flatten removes a chain of folders of any depth with a fixed number of
// descriptors: while the folder has a folder, its content is moved up beside it.
func (w *wiper) flatten(dir int, name string) error {
	if err := unix.Unlinkat(dir, name, 0); err == nil {
		w.removed++
		return nil
	}
	if unix.Unlinkat(dir, name, unix.AT_REMOVEDIR) == nil {
		w.removed++
		return nil
	}
	inner, err := openDir(dir, name)
	if err != nil {
		return fmt.Errorf("entering %q: %w", name, err)
	}
	defer unix.Close(inner)
	names, err := list(inner)
	if err != nil {
		return err
	}
	for _, each := range names {
		w.removed++
		if err := unix.Unlinkat(inner, each, 0); err == nil {
			continue
		}
		lifted := fmt.Sprintf(".cortex-wipe-%d", w.removed)
		if err := unix.Renameat(inner, each, dir, lifted); err != nil {
			return fmt.Errorf("lifting %q: %w", each, err)
		}
	}
	if err := unix.Unlinkat(dir, name, unix.AT_REMOVEDIR); err != nil {
		return fmt.Errorf("removing the folder %q: %w", name, err)
	}
	return nil
}

// removeMarked takes the immutable and append-only marks off first, which the
// host's root may.
func (w *wiper) removeMarked(parent int, name string) error {
	fd, err := unix.Openat(parent, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.FS_IOC_SETFLAGS, 0)
		_ = unix.Close(fd)
	}
	if err == nil {
		err = unix.Unlinkat(parent, name, 0)
	}
	if err != nil {
		return fmt.Errorf("removing %q: %w", name, err)
	}
	w.removed++
	return nil
}

// openDir opens a folder itself: no link, no other mount. A folder that its
// owner closed to itself is opened to the owner first.
func openDir(parent int, name string) (int, error) {
	how := &unix.OpenHow{
		Flags:   unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_XDEV,
	}
	fd, err := unix.Openat2(parent, name, how)
	if errors.Is(err, unix.EACCES) {
		if unix.Fchmodat(parent, name, 0o700, unix.AT_SYMLINK_NOFOLLOW) == nil {
			fd, err = unix.Openat2(parent, name, how)
		}
	}
	return fd, err
}

// list reads a folder's names from its beginning. The descriptor stays open.
func list(dir int) ([]string, error) {
	again, err := unix.Openat(dir, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	file := os.NewFile(uintptr(again), "folder")
	defer file.Close()
	return file.Readdirnames(-1)
}
