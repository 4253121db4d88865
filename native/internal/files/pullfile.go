package files

import (
	"context"
	"io"
	"math"

	"golang.org/x/sys/unix"
)

func (t *Transfer) checkPullFile() (Info, error) {
	if t.copy.Offset > math.MaxInt64 || t.copy.Length > math.MaxInt64 {
		return Info{}, invalid("", "a range of %d bytes from %d is more than a file can have", t.copy.Length, t.copy.Offset)
	}
	fd, st, err := t.openRegular()
	if err != nil {
		return Info{}, failure("read", t.path, err)
	}
	unix.Close(fd)
	return infoOf(t.path, &st), nil
}

// openRegular opens the file, links followed as by any program that reads a path. Whatever is no
// regular file is refused before it is opened: opening alone can block (a FIFO) or act (a device).
func (t *Transfer) openRegular() (fd int, st unix.Stat_t, err error) {
	fd = -1
	err = t.caller.as(func() error {
		if err := unix.Stat(t.path, &st); err != nil {
			return err
		}
		if err := mustBeRegular(t.path, &st); err != nil {
			return err
		}
		// It may have been swapped since: O_NONBLOCK does not wait for a FIFO's writer.
		opened, err := open(unix.AT_FDCWD, t.path, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
		if err != nil {
			return err
		}
		if err = unix.Fstat(opened, &st); err == nil {
			err = mustBeRegular(t.path, &st)
		}
		if err != nil {
			unix.Close(opened)
			return err
		}
		fd = opened
		return nil
	})
	return fd, st, err
}

func mustBeRegular(path string, st *unix.Stat_t) error {
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		return nil
	case unix.S_IFDIR:
		return invalid("copy it as a folder", "cannot read %s: it is a folder", quoted(path))
	}
	return notRegular("read", path)
}

func (t *Transfer) sendFile(ctx context.Context, to io.Writer) error {
	fd, st, err := t.openRegular()
	if err != nil {
		return failure("read", t.path, err)
	}
	defer unix.Close(fd)
	offset, end := int64(t.copy.Offset), int64(math.MaxInt64)
	// A file that grows while it is read ends where it ended at first. Files of /proc say 0 and
	// have content all the same.
	if st.Size > 0 {
		end = st.Size
	}
	if length := int64(t.copy.Length); length != 0 && length < end-offset {
		end = offset + length
	}
	buffer := make([]byte, transferBuffer)
	for offset < end {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := unix.Pread(fd, buffer[:min(int64(len(buffer)), end-offset)], offset)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return failure("read", t.path, err)
		}
		if n == 0 {
			return nil
		}
		if _, err := to.Write(buffer[:n]); err != nil {
			return err
		}
		offset += int64(n)
	}
	return nil
}
