package live

import (
	"path"

	"golang.org/x/sys/unix"
)

// folder is the host's folder, by descriptor. Every path is resolved beneath it
// with no link followed and no other mount entered: what the rule decided about a
// path holds for what is then touched, whatever is renamed meanwhile, since the
// words of the path are the place itself.
type folder struct{ root int }

const beneath = unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_XDEV

func (f folder) open(name string, flags int, mode uint32) (int, error) {
	if name == "" {
		name = "."
	}
	how := unix.OpenHow{Flags: uint64(flags | unix.O_CLOEXEC | unix.O_NOFOLLOW), Resolve: beneath}
	if flags&(unix.O_CREAT|unix.O_TMPFILE&^unix.O_DIRECTORY) != 0 {
		how.Mode = uint64(mode)
	}
	for {
		fd, err := unix.Openat2(f.root, name, &how)
		if err != unix.EAGAIN && err != unix.EINTR {
			return fd, err
		}
	}
}

// in runs something with the folder that holds name, and name's last part.
func (f folder) in(name string, run func(parent int, base string) error) error {
	parent, err := f.open(parentOf(name), unix.O_PATH|unix.O_DIRECTORY, 0)
	if err != nil {
		return err
	}
	defer unix.Close(parent)
	return run(parent, path.Base(name))
}

func parentOf(name string) string {
	if dir := path.Dir(name); dir != "." {
		return dir
	}
	return ""
}

func (f folder) stat(name string) (unix.Stat_t, error) {
	var stat unix.Stat_t
	if name == "" {
		return stat, unix.Fstat(f.root, &stat)
	}
	err := f.in(name, func(parent int, base string) error {
		return unix.Fstatat(parent, base, &stat, unix.AT_SYMLINK_NOFOLLOW)
	})
	return stat, err
}
