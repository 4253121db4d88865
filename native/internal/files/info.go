package files

import (
	"golang.org/x/sys/unix"
)

// FileType is what a path names.
type FileType int

// The values are those of the protocol's FileType.
const (
	Regular   FileType = 1
	Directory FileType = 2
	Symlink   FileType = 3
	Other     FileType = 4
)

// Info describes a file.
type Info struct {
	Path       string
	Type       FileType
	Size       uint64
	Mode       uint32 // permission bits with setuid, setgid and sticky
	ModifiedNs int64  // Unix time
	UID        uint32
	GID        uint32
	LinkTarget string // of a symbolic link
}

const modeBits = 0o7777

func infoOf(path string, st *unix.Stat_t) Info {
	info := Info{
		Path:       path,
		Size:       uint64(st.Size),
		Mode:       st.Mode & modeBits,
		ModifiedNs: st.Mtim.Nano(),
		UID:        st.Uid,
		GID:        st.Gid,
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		info.Type = Regular
	case unix.S_IFDIR:
		info.Type = Directory
	case unix.S_IFLNK:
		info.Type = Symlink
	default:
		info.Type = Other
	}
	return info
}

// infoAt describes name in the folder dir without following a link.
func infoAt(dir int, name, path string) (Info, error) {
	var st unix.Stat_t
	if err := unix.Fstatat(dir, name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return Info{}, err
	}
	info := infoOf(path, &st)
	if info.Type == Symlink {
		target, err := readLink(dir, name)
		if err != nil {
			return Info{}, err
		}
		info.LinkTarget = target
	}
	return info, nil
}

func readLink(dir int, name string) (string, error) {
	var buffer [unix.PathMax]byte
	n, err := unix.Readlinkat(dir, name, buffer[:])
	if err != nil {
		return "", err
	}
	return string(buffer[:n]), nil
}

// Stat describes path. With follow a final link is followed.
func (c Caller) Stat(path string, follow bool) (Info, error) {
	at, err := c.absolute(path)
	if err != nil {
		return Info{}, err
	}
	var info Info
	err = c.as(func() error {
		if follow {
			var st unix.Stat_t
			if err := unix.Stat(at, &st); err != nil {
				return err
			}
			info = infoOf(at, &st)
			return nil
		}
		info, err = infoAt(unix.AT_FDCWD, at, at)
		return err
	})
	return info, failure("look at", at, err)
}
