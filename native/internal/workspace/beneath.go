package workspace

import (
	"errors"
	"fmt"
	"os"
	"path"

	"cortex.dev/native/internal/launch"
	"golang.org/x/sys/unix"
)

// tree is a folder by descriptor. Every path is resolved beneath it, and no link
// is followed: neither one that lies there nor one that is put there meanwhile.
type tree struct{ root int }

const noWayOut = unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS

// openTree opens a folder that is named by whoever may name it.
func openTree(folder string) (*tree, error) {
	root, err := unix.Open(folder, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: folder, Err: err}
	}
	return &tree{root}, nil
}

// openSource opens the folder that a workspace comes from and goes back to. It was named
// without links; one that is on the way there now was put there since, perhaps by a
// sandbox that has a folder above it mounted.
func openSource(folder string) (*tree, error) {
	root, err := unix.Openat2(unix.AT_FDCWD, folder, &unix.OpenHow{
		Flags: unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS,
	})
	switch {
	case errors.Is(err, unix.ELOOP):
		return nil, launch.Fail(launch.Denied, nil, "the way to %s leads through a link now, and is not followed", folder).
			WithRemedy("look at it: namei -l " + folder)
	case err != nil:
		return nil, launch.Fail(launch.NotFound, err, "the folder %s, which the workspace came from, is gone", folder).
			WithRemedy("make it again and apply, or take the changes as a patch: cortex diff NAME > x.patch")
	}
	return &tree{root}, nil
}

// named says whether the name still leads to the folder: what was found out by the name holds for it then.
func (t *tree) named(folder string) error {
	var own, now unix.Stat_t
	if err := errors.Join(unix.Fstat(t.root, &own), unix.Lstat(folder, &now)); err != nil || own.Dev != now.Dev || own.Ino != now.Ino {
		return launch.Fail(launch.Denied, err, "another folder came to the place of %s", folder).
			WithRemedy("look at it: namei -l " + folder)
	}
	return nil
}

// path leads to the folder whatever its name means by now.
func (t *tree) path() string { return fmt.Sprintf("/proc/self/fd/%d", t.root) }

func (t *tree) close() { _ = unix.Close(t.root) }

func (t *tree) open(name string, flags int, mode uint32) (int, error) {
	if name == "" {
		name = "."
	}
	how := unix.OpenHow{Flags: uint64(flags | unix.O_CLOEXEC | unix.O_NOFOLLOW), Resolve: noWayOut}
	if flags&unix.O_CREAT != 0 {
		how.Mode = uint64(mode)
	}
	for {
		fd, err := unix.Openat2(t.root, name, &how)
		if errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return -1, &os.PathError{Op: "open", Path: name, Err: err}
		}
		return fd, nil
	}
}

// file opens a regular file for reading and gives its state. Without waiting: a
// pipe may have come to its place.
func (t *tree) file(name string) (*os.File, unix.Stat_t, error) {
	fd, stat, err := t.regular(name)
	if err != nil {
		return nil, stat, err
	}
	return os.NewFile(uintptr(fd), name), stat, nil
}

// regular is file without Go's poller, which costs three system calls a file.
func (t *tree) regular(name string) (int, unix.Stat_t, error) {
	var stat unix.Stat_t
	fd, err := t.open(name, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
	if err != nil {
		return -1, stat, err
	}
	if err := unix.Fstat(fd, &stat); err != nil || stat.Mode&unix.S_IFMT != unix.S_IFREG {
		_ = unix.Close(fd)
		return -1, stat, &os.PathError{Op: "read", Path: name, Err: errors.Join(err, unix.EINVAL)}
	}
	return fd, stat, nil
}

// in runs something with the folder that holds name.
func (t *tree) in(name string, run func(parent int, base string) error) error {
	dir := path.Dir(name)
	if dir == "." {
		dir = ""
	}
	parent, err := t.open(dir, unix.O_PATH|unix.O_DIRECTORY, 0)
	if err != nil {
		return err
	}
	defer unix.Close(parent)
	return run(parent, path.Base(name))
}

func (t *tree) stat(name string) (unix.Stat_t, error) {
	var stat unix.Stat_t
	err := t.in(name, func(parent int, base string) error {
		return unix.Fstatat(parent, base, &stat, unix.AT_SYMLINK_NOFOLLOW)
	})
	return stat, err
}

func (t *tree) link(name string) ([]byte, error) {
	target := make([]byte, unix.PathMax)
	var length int
	err := t.in(name, func(parent int, base string) error {
		var err error
		length, err = unix.Readlinkat(parent, base, target)
		return err
	})
	if err != nil {
		return nil, &os.PathError{Op: "readlink", Path: name, Err: err}
	}
	return target[:length], nil
}

// names of a folder with their types, from its own entries.
func (t *tree) names(dir string) ([]os.DirEntry, error) {
	fd, err := t.open(dir, unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	folder := os.NewFile(uintptr(fd), dir)
	defer folder.Close()
	return folder.ReadDir(-1)
}
