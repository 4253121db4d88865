package mounts

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// inRoot opens a path of the sandbox beneath its root, whatever links are there.
func inRoot(root int, name string, flags uint64) (int, error) {
	if name = strings.TrimPrefix(path.Clean("/"+name), "/"); name == "" {
		name = "."
	}
	return unix.Openat2(root, name, &unix.OpenHow{
		Flags:   flags | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_IN_ROOT | unix.RESOLVE_NO_MAGICLINKS,
	})
}

// target opens where a mount goes; what is missing of it is made, owned by the
// sandbox's root. The caller closes it.
func (b *builder) target(name string, file bool) (int, error) {
	root, err := unix.Open(filepath.Join(b.stage, rootfsName), unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0, fmt.Errorf("opening the root file system: %w", err)
	}
	defer unix.Close(root)
	if name == "/" {
		return unix.FcntlInt(uintptr(root), unix.F_DUPFD_CLOEXEC, 0)
	}
	target, err := inRoot(root, name, unix.O_PATH)
	if errors.Is(err, unix.ENOENT) {
		if err = b.makeTarget(root, name, file); err == nil {
			target, err = inRoot(root, name, unix.O_PATH)
		}
	}
	if err != nil {
		return 0, fmt.Errorf("opening %s of the sandbox: %w", name, err)
	}
	return target, nil
}

func (b *builder) makeTarget(root int, name string, file bool) error {
	return actAs(b.plan.RootUID, b.plan.RootGID, func() error {
		parts := strings.Split(strings.Trim(name, "/"), "/")
		for i := range parts {
			if err := makeOne(root, path.Join(parts[:i+1]...), file && i == len(parts)-1); err != nil {
				return err
			}
		}
		return nil
	})
}

func makeOne(root int, name string, file bool) error {
	parent, err := inRoot(root, path.Dir(name), unix.O_PATH|unix.O_DIRECTORY)
	if err != nil {
		return err
	}
	defer unix.Close(parent)
	if !file {
		err = unix.Mkdirat(parent, path.Base(name), 0o755)
	} else {
		var made int
		made, err = unix.Openat(parent, path.Base(name), unix.O_CREAT|unix.O_EXCL|unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o644)
		if err == nil {
			err = unix.Close(made)
		}
	}
	if errors.Is(err, unix.EEXIST) {
		return nil
	}
	return err
}
