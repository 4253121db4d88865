package files

import (
	"encoding/binary"

	"golang.org/x/sys/unix"
)

// dirent is one entry of a folder as the kernel gives it.
type dirent struct {
	name string
	kind uint8 // DT_…, DT_UNKNOWN where the file system does not say
}

// folderReader reads the entries of an open folder in the kernel's order, `.` and `..` left out.
// The descriptor stays the caller's.
type folderReader struct {
	fd     int
	buffer []byte
	rest   []byte
}

// 64 KiB hold about 2,000 entries: a folder of that size costs two calls.
const folderBuffer = 64 << 10

func newFolderReader(fd int, buffer []byte) *folderReader {
	return &folderReader{fd: fd, buffer: buffer}
}

// next gives the next entry, ok false at the end.
func (r *folderReader) next() (entry dirent, ok bool, err error) {
	// struct linux_dirent64: inode 8, offset 8, record length 2, type 1, name and NUL.
	const head = 19
	for {
		if len(r.rest) == 0 {
			n, err := unix.Getdents(r.fd, r.buffer)
			if err == unix.EINTR {
				continue
			}
			// A folder that was removed while it was open reads as ENOENT: it is empty.
			if err == unix.ENOENT || (err == nil && n == 0) {
				return dirent{}, false, nil
			}
			if err != nil {
				return dirent{}, false, err
			}
			r.rest = r.buffer[:n]
		}
		length := int(binary.NativeEndian.Uint16(r.rest[16:]))
		record := r.rest[:length]
		r.rest = r.rest[length:]
		name := record[head:]
		for i, b := range name {
			if b == 0 {
				name = name[:i]
				break
			}
		}
		if len(name) == 0 || string(name) == "." || string(name) == ".." {
			continue
		}
		return dirent{name: string(name), kind: record[18]}, true, nil
	}
}

// kindIn gives the DT_ type of name, asking the file system where the entry does not say.
func (d dirent) kindIn(dir int) (uint8, error) {
	if d.kind != unix.DT_UNKNOWN {
		return d.kind, nil
	}
	var st unix.Stat_t
	if err := unix.Fstatat(dir, d.name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return 0, err
	}
	return uint8(st.Mode & unix.S_IFMT >> 12), nil
}

// Folders are opened for reading with O_NOFOLLOW unless a person named the path.
const openFolder = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_CLOEXEC | unix.O_NONBLOCK | unix.O_NOCTTY

// open is openat that is not ended by a signal.
func open(dir int, name string, flags int, mode uint32) (int, error) {
	for {
		fd, err := unix.Openat(dir, name, flags|unix.O_CLOEXEC, mode)
		if err != unix.EINTR {
			return fd, err
		}
	}
}
