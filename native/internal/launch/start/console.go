package start

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// openConsole opens the file for the first process's output. It is opened on a
// detached copy of its folder's mount: what /proc/1/fd/1 shows inside is a path
// from that mount's root, "/console.log", not where it is on the host. A pipe
// would need a reader that lives as long as the sandbox, and loses the last
// lines together with it.
func openConsole(path string) (*os.File, error) {
	folder, err := unix.OpenTree(unix.AT_FDCWD, filepath.Dir(path), unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("opening the folder of the console: %w", err)
	}
	defer unix.Close(folder)
	return openBeneath(folder, filepath.Base(path))
}

// openPlainConsole is for a first process that sees the host anyway.
func openPlainConsole(path string) (*os.File, error) {
	folder, err := unix.Open(filepath.Dir(path), unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("opening the folder of the console: %w", err)
	}
	defer unix.Close(folder)
	return openBeneath(folder, filepath.Base(path))
}

func openBeneath(folder int, name string) (*os.File, error) {
	const flags = unix.O_WRONLY | unix.O_CREAT | unix.O_TRUNC | unix.O_APPEND | unix.O_NOFOLLOW | unix.O_CLOEXEC
	fd, err := unix.Openat(folder, name, flags, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening the console: %w", err)
	}
	return os.NewFile(uintptr(fd), name), nil
}

// openEnded is an input that has nothing in it, as the host's null device has.
// That device itself is not given: crun makes the sandbox's root the owner of
// what the first process has as its streams, and an owner may take the null
// device from everybody on the host by chmod.
func openEnded() (*os.File, error) {
	input, end, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("opening an empty input: %w", err)
	}
	return input, end.Close()
}

// openNowhere is the host's null device, on a mount on which nobody can change
// its owner. Who may not mount may not change that owner either.
func openNowhere() (*os.File, error) {
	tree, err := unix.OpenTree(unix.AT_FDCWD, os.DevNull, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
	if err == unix.EPERM {
		return os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	}
	if err != nil {
		return nil, fmt.Errorf("opening the null device: %w", err)
	}
	defer unix.Close(tree)
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
	if err := unix.MountSetattr(tree, "", unix.AT_EMPTY_PATH, &attr); err != nil {
		return nil, fmt.Errorf("holding the null device: %w", err)
	}
	return os.OpenFile(fmt.Sprintf("/proc/self/fd/%d", tree), os.O_WRONLY, 0)
}
