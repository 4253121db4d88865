package files

import (
	"context"
	"strings"

	"golang.org/x/sys/unix"
)

// MakeDirectory makes a folder with the mode given (0: 0755), whatever the process's umask. With
// parents it makes those that are missing (0755) and is content with a folder that exists;
// created says whether it made this one.
func (c Caller) MakeDirectory(path string, parents bool, mode uint32) (created bool, err error) {
	at, err := c.absolute(path)
	if err != nil {
		return false, err
	}
	if mode&^modeBits != 0 {
		return false, invalid("give permission bits", "%#o is no mode", mode)
	}
	if mode == 0 {
		mode = 0o755
	}
	err = c.as(func() error {
		if created, err = makeDirectory(at, mode); !parents {
			return err
		}
		if err == unix.ENOENT {
			if err = makeParents(at); err != nil {
				return err
			}
			created, err = makeDirectory(at, mode)
		}
		if err != unix.EEXIST {
			return err
		}
		var st unix.Stat_t
		if err := unix.Stat(at, &st); err != nil {
			return err
		}
		if st.Mode&unix.S_IFMT != unix.S_IFDIR {
			return unix.EEXIST
		}
		return nil
	})
	return created, failure("make the folder", at, err)
}

func makeDirectory(path string, mode uint32) (bool, error) {
	if err := unix.Mkdir(path, 0o700); err != nil {
		return false, err
	}
	fd, err := open(unix.AT_FDCWD, strings.TrimRight(path, "/"), openFolder|unix.O_NOFOLLOW, 0)
	if err != nil {
		return true, err
	}
	defer unix.Close(fd)
	return true, unix.Fchmod(fd, mode)
}

// makeParents makes the folders above path that are missing.
func makeParents(path string) error {
	path = strings.TrimRight(path, "/")
	for i := 1; i < len(path); i++ {
		if path[i] != '/' || path[i-1] == '/' {
			continue
		}
		if _, err := makeDirectory(path[:i], 0o755); err != nil && err != unix.EEXIST {
			// A parent that cannot be made because its own place is read-only or foreign may well
			// exist; the last step decides.
			if unix.Access(path[:i], unix.F_OK) != nil {
				return err
			}
		}
	}
	return nil
}

// Move renames from to to, which names the new path itself, not the folder that it goes into.
// With replace a file or an empty folder there is replaced. Between file systems, and between the
// layers of an overlay, the files are copied, put in place whole, and removed where they were.
func (c Caller) Move(ctx context.Context, from, to string, replace bool) error {
	source, err := c.absolute(from)
	if err != nil {
		return err
	}
	target, err := c.absolute(to)
	if err != nil {
		return err
	}
	err = c.as(func() error { return rename(source, target, replace) })
	if err == unix.EXDEV {
		err = c.moveAcross(ctx, source, target, replace)
	}
	if err == unix.ENOENT {
		if _, missing := c.Stat(source, false); missing != nil {
			return missing
		}
		return failure("move "+quoted(source)+" to", target, err)
	}
	return failure("move "+quoted(source)+" to", target, err)
}

func rename(source, target string, replace bool) error {
	if replace {
		return unix.Rename(source, target)
	}
	err := unix.Renameat2(unix.AT_FDCWD, source, unix.AT_FDCWD, target, unix.RENAME_NOREPLACE)
	if err != unix.EINVAL && err != unix.ENOSYS {
		return err
	}
	// A file system without the flag: looking first is the best that is left.
	var st unix.Stat_t
	if unix.Lstat(target, &st) == nil {
		return unix.EEXIST
	}
	return unix.Rename(source, target)
}
