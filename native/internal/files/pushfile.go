package files

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"math"
	"unsafe"

	"golang.org/x/sys/unix"
)

// One buffer a transfer. Larger ones gained nothing against a pipe or a socket, smaller ones lost.
const transferBuffer = 256 << 10

func (t *Transfer) checkPushFile() error {
	if t.copy.Offset > math.MaxInt64 {
		return invalid("", "an offset of %d is more than a file can have", t.copy.Offset)
	}
	return t.caller.as(func() error {
		place, err := t.place()
		if err != nil {
			return failure("write", t.path, err)
		}
		place.close()
		return nil
	})
}

// place is where a pushed file goes: behind a final link, as with any program that writes to a
// path, all with the caller's own rights.
type place struct {
	dir      int // the open folder
	name     string
	existing *unix.Stat_t // of the regular file that is there
}

func (p *place) close() { unix.Close(p.dir) }

func (t *Transfer) place() (*place, error) {
	resolved, _, err := resolve(t.path)
	if err != nil {
		return nil, err
	}
	if t.path[len(t.path)-1] == '/' {
		return nil, unix.EISDIR
	}
	parent, name := splitLast(resolved)
	if name == "" {
		return nil, unix.EISDIR
	}
	dir, err := open(unix.AT_FDCWD, parent, unix.O_PATH|unix.O_DIRECTORY, 0)
	if err == unix.ENOENT && t.copy.MakeParents {
		if err = makeParents(resolved); err != nil {
			return nil, err
		}
		dir, err = open(unix.AT_FDCWD, parent, unix.O_PATH|unix.O_DIRECTORY, 0)
	}
	if err == unix.ENOENT {
		return nil, &Error{
			Code:    NotFound,
			Message: "cannot write " + quoted(t.path) + ": there is no folder " + quoted(parent),
			Remedy:  "make the folder first, or ask for parents to be made",
		}
	}
	if err != nil {
		return nil, err
	}
	p := &place{dir: dir, name: name}
	var st unix.Stat_t
	switch err := unix.Fstatat(dir, name, &st, unix.AT_SYMLINK_NOFOLLOW); {
	case err == unix.ENOENT:
	case err != nil:
		p.close()
		return nil, err
	case st.Mode&unix.S_IFMT == unix.S_IFDIR:
		p.close()
		return nil, unix.EISDIR
	case st.Mode&unix.S_IFMT != unix.S_IFREG:
		p.close()
		return nil, notRegular("write", t.path)
	default:
		p.existing = &st
	}
	return p, nil
}

func notRegular(doing, path string) error {
	return invalid("name a regular file", "cannot %s %s: it is not a regular file", doing, quoted(path))
}

func (t *Transfer) receiveFile(ctx context.Context, from io.Reader) error {
	if t.copy.Offset != 0 {
		return t.writeInPlace(ctx, from)
	}
	var fresh *freshFile
	err := t.caller.as(func() error {
		place, err := t.place()
		if err != nil {
			return err
		}
		if fresh, err = createFresh(place); err != nil {
			place.close()
		}
		return err
	})
	if err != nil {
		return failure("write", t.path, err)
	}
	// What a descriptor may do was settled when it was opened, so the bytes need no switched thread.
	if err := copyInto(ctx, fresh.fd, 0, from, t.path); err != nil {
		return errors.Join(err, t.caller.as(fresh.discard))
	}
	return failure("write", t.path, t.caller.as(func() error { return fresh.keep(t.copy.Mode, t.copy.ModifiedNs) }))
}

// writeInPlace writes from an offset on into the file that is there, or a new one.
func (t *Transfer) writeInPlace(ctx context.Context, from io.Reader) error {
	fd := -1
	err := t.caller.as(func() error {
		place, err := t.place()
		if err != nil {
			return err
		}
		defer place.close()
		fd, err = open(place.dir, place.name, unix.O_WRONLY|unix.O_CREAT|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_NOCTTY, 0o600)
		if err != nil || (place.existing != nil && t.copy.Mode == 0) {
			return err
		}
		return unix.Fchmod(fd, modeOr(t.copy.Mode, 0o644))
	})
	if fd >= 0 {
		defer unix.Close(fd)
	}
	if err != nil {
		return failure("write", t.path, err)
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return failure("write", t.path, err)
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG {
		return notRegular("write", t.path)
	}
	if err := copyInto(ctx, fd, int64(t.copy.Offset), from, t.path); err != nil {
		return err
	}
	if t.copy.ModifiedNs == 0 {
		return nil
	}
	return failure("write", t.path, t.caller.as(func() error { return setModified(fd, t.copy.ModifiedNs) }))
}

func modeOr(mode, otherwise uint32) uint32 {
	if mode == 0 {
		return otherwise
	}
	return mode
}

// copyInto writes everything that comes into fd from offset on. Errors of the reader come back
// as they are.
func copyInto(ctx context.Context, fd int, offset int64, from io.Reader, path string) error {
	buffer := make([]byte, transferBuffer)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := from.Read(buffer)
		if n > 0 {
			if int64(n) > math.MaxInt64-offset {
				return failure("write", path, unix.EFBIG)
			}
			if err := writeAt(fd, buffer[:n], offset); err != nil {
				return failure("write", path, err)
			}
			offset += int64(n)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func writeAt(fd int, b []byte, offset int64) error {
	for len(b) > 0 {
		n, err := unix.Pwrite(fd, b, offset)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return err
		}
		b, offset = b[n:], offset+int64(n)
	}
	return nil
}

func setModified(fd int, ns int64) error {
	times := modifiedOnly(ns)
	// With no path the call means the descriptor itself, which the wrapper of x/sys cannot say.
	_, _, errno := unix.Syscall6(unix.SYS_UTIMENSAT, uintptr(fd), 0, uintptr(unsafe.Pointer(&times[0])), 0, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}

// modifiedOnly leaves the time of access alone.
func modifiedOnly(ns int64) [2]unix.Timespec {
	seconds, rest := ns/1e9, ns%1e9
	if rest < 0 {
		seconds, rest = seconds-1, rest+1e9
	}
	return [2]unix.Timespec{{Nsec: unix.UTIME_OMIT}, {Sec: seconds, Nsec: rest}}
}

// freshFile is a new file under a name of its own beside the one that it will replace.
type freshFile struct {
	place *place
	fd    int
	temp  string
}

func createFresh(p *place) (*freshFile, error) {
	temp := temporaryName()
	fd, err := open(p.dir, temp, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	return &freshFile{place: p, fd: fd, temp: temp}, nil
}

// temporaryName is hidden, says whose it is, and cannot be guessed by who might be waiting for it.
func temporaryName() string { return ".cortex-" + rand.Text() }

func (f *freshFile) discard() error {
	defer f.place.close()
	unix.Close(f.fd)
	return unix.Unlinkat(f.place.dir, f.temp, 0)
}

// keep puts the file in its place: with the owner (where that is permitted) and, unless another
// is given, the mode of the file that it replaces.
func (f *freshFile) keep(mode uint32, modifiedNs int64) error {
	otherwise := uint32(0o644)
	if old := f.place.existing; old != nil {
		otherwise = old.Mode & modeBits
		if err := unix.Fchown(f.fd, int(old.Uid), int(old.Gid)); err != nil {
			otherwise &^= unix.S_ISUID | unix.S_ISGID // they belonged to the other owner
		}
	}
	err := unix.Fchmod(f.fd, modeOr(mode, otherwise))
	if err == nil && modifiedNs != 0 {
		err = setModified(f.fd, modifiedNs)
	}
	if err == nil {
		err = unix.Renameat(f.place.dir, f.temp, f.place.dir, f.place.name)
	}
	if err != nil {
		return errors.Join(err, f.discard())
	}
	f.place.close()
	// Some file systems tell of a full disk only now.
	return unix.Close(f.fd)
}
