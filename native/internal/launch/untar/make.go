package untar

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"cortex.dev/native/internal/launch"
	"golang.org/x/sys/unix"
)

const blockSize = 4096

// open opens a path beneath the root; links that stay inside are followed.
func (u *unpacker) open(name string, flags uint64) (int, error) {
	return unix.Openat2(u.root, name, &unix.OpenHow{
		Flags:   flags | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_MAGICLINKS | unix.RESOLVE_NO_XDEV,
	})
}

// openParent opens the folder of an entry, and makes what an archive left out.
func (u *unpacker) openParent(name string) (int, error) {
	if u.parent >= 0 && name == u.parentPath {
		return u.parent, nil
	}
	fd, err := u.open(name, unix.O_PATH|unix.O_DIRECTORY)
	// With a layer a name that it took away before may be in the way.
	if errors.Is(err, unix.ENOENT) || (u.layer != nil && errors.Is(err, unix.ENOTDIR)) {
		if err := u.makeParents(name); err != nil {
			return 0, err
		}
		fd, err = u.open(name, unix.O_PATH|unix.O_DIRECTORY)
	}
	if err != nil {
		return 0, err
	}
	u.close()
	u.parent, u.parentPath = fd, name
	return fd, nil
}

func (u *unpacker) close() {
	if u.parent >= 0 {
		_ = unix.Close(u.parent)
	}
	u.parent = -1
}

func (u *unpacker) makeParents(name string) error {
	if name == "." {
		return nil
	}
	parts := strings.Split(name, "/")
	for i := range parts {
		above, err := u.open(path.Join(append([]string{"."}, parts[:i]...)...), unix.O_PATH|unix.O_DIRECTORY)
		if err != nil {
			return err
		}
		made, err := u.makeFolder(above, path.Join(parts[:i+1]...), 0o755)
		if made && err == nil {
			err = u.likeBeneath(above, path.Join(parts[:i+1]...))
		}
		_ = unix.Close(above)
		if err != nil {
			return err
		}
	}
	return nil
}

// replace takes away what an earlier entry of the same name made.
func replace(parent int, base string) error {
	err := unix.Unlinkat(parent, base, 0)
	if errors.Is(err, unix.EISDIR) {
		err = unix.Unlinkat(parent, base, unix.AT_REMOVEDIR)
	}
	if errors.Is(err, unix.ENOENT) {
		return nil
	}
	return err
}

func (u *unpacker) folder(header *tar.Header, parent int, name string) error {
	base := path.Base(name)
	made, err := u.makeFolder(parent, name, 0o700)
	if err == nil && !made {
		var stat unix.Stat_t
		if err = unix.Fstatat(parent, base, &stat, unix.AT_SYMLINK_NOFOLLOW); err == nil && stat.Mode&unix.S_IFMT != unix.S_IFDIR {
			if err = replace(parent, base); err == nil {
				err = unix.Mkdirat(parent, base, 0o700)
			}
		}
	}
	if err != nil {
		return err
	}
	if err := u.remember(name, header.ModTime); err != nil {
		return err
	}
	return u.dress(header, parent, base)
}

func (u *unpacker) rootFolder(header *tar.Header) error {
	if header.Typeflag != tar.TypeDir {
		return refuse(header, nil, "the root is no folder")
	}
	if err := unix.Fchown(u.root, header.Uid, header.Gid); err != nil {
		return err
	}
	return unix.Fchmod(u.root, uint32(header.Mode)&0o7777)
}

func (u *unpacker) file(header *tar.Header, parent int, base string, content io.Reader) error {
	if header.Size > u.limits.Bytes-u.answer.Bytes {
		return refuse(header, nil, "the archive unpacks to more than %d bytes", u.limits.Bytes)
	}
	u.answer.Bytes += header.Size
	if err := replace(parent, base); err != nil {
		return err
	}
	fd, err := unix.Openat(parent, base, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return err
	}
	file := os.NewFile(uintptr(fd), base)
	err = errors.Join(u.writeSparse(file, content, header.Size), dressFile(header, file))
	return errors.Join(err, file.Close())
}

// writeSparse leaves holes where a block is all zeros.
func (u *unpacker) writeSparse(file *os.File, content io.Reader, size int64) error {
	buffer := make([]byte, min(max(size, 1), 64*blockSize))
	var at int64
	for at < size {
		n, err := io.ReadFull(content, buffer[:min(size-at, int64(len(buffer)))])
		for begin := 0; begin < n; begin += blockSize {
			block := buffer[begin:min(begin+blockSize, n)]
			if !zero(block) {
				if err := u.room.Taken(blockSize); err != nil {
					return err
				}
				if _, err := file.WriteAt(block, at+int64(begin)); err != nil {
					return err
				}
			}
		}
		at += int64(n)
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return err
		}
	}
	return file.Truncate(size)
}

func zero(block []byte) bool {
	for _, each := range block {
		if each != 0 {
			return false
		}
	}
	return true
}

func (u *unpacker) link(header *tar.Header, parent int, base string) error {
	if err := replace(parent, base); err != nil {
		return err
	}
	if err := unix.Symlinkat(header.Linkname, parent, base); err != nil {
		return err
	}
	if err := unix.Fchownat(parent, base, header.Uid, header.Gid, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return err
	}
	return setTime(parent, base, header.ModTime)
}

// hardLink links to an earlier entry, found like every other path; a symbolic
// link is linked to itself, not followed.
func (u *unpacker) hardLink(header *tar.Header, parent int, base string) error {
	source, err := beneath(&tar.Header{Name: header.Linkname})
	if err != nil {
		return refuse(header, nil, "it links to %q, out of the archive", header.Linkname)
	}
	folder, err := u.open(path.Dir(source), unix.O_PATH|unix.O_DIRECTORY)
	if err == nil {
		defer unix.Close(folder)
		var stat unix.Stat_t
		if err = unix.Fstatat(folder, path.Base(source), &stat, unix.AT_SYMLINK_NOFOLLOW); err == nil {
			err = replace(parent, base)
		}
		if err == nil {
			err = unix.Linkat(folder, path.Base(source), parent, base, 0)
		}
	}
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.EPERM) {
		return refuse(header, err, "it links to %q, which is no earlier entry", header.Linkname)
	}
	return err
}

func dressFile(header *tar.Header, file *os.File) error {
	fd := int(file.Fd())
	if err := unix.Fchown(fd, header.Uid, header.Gid); err != nil {
		return err
	}
	// After chown, which drops set-uid bits.
	if err := unix.Fchmod(fd, uint32(header.Mode)&0o7777); err != nil {
		return err
	}
	for key, value := range header.PAXRecords {
		if name, found := strings.CutPrefix(key, "SCHILY.xattr."); found && wanted(name) {
			if err := unix.Fsetxattr(fd, name, []byte(value), 0); err != nil && !errors.Is(err, unix.ENOTSUP) {
				return fmt.Errorf("setting %s: %w", name, err)
			}
		}
	}
	return unix.Futimes(fd, []unix.Timeval{unix.NsecToTimeval(header.ModTime.UnixNano()), unix.NsecToTimeval(header.ModTime.UnixNano())})
}

// wanted attributes are file capabilities and the users' own. Those by which an
// overlay marks its layers would let an archive redirect paths.
func wanted(name string) bool {
	return name == "security.capability" || (strings.HasPrefix(name, "user.") && !strings.HasPrefix(name, "user.overlay."))
}

// dress gives a folder or pipe its owner, mode and time. It was just made, or is
// no link, and nobody else is in the target.
func (u *unpacker) dress(header *tar.Header, parent int, base string) error {
	if err := unix.Fchownat(parent, base, header.Uid, header.Gid, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return err
	}
	if err := unix.Fchmodat(parent, base, uint32(header.Mode)&0o7777, 0); err != nil {
		return err
	}
	return setTime(parent, base, header.ModTime)
}

func setTime(parent int, base string, when time.Time) error {
	times := []unix.Timespec{unix.NsecToTimespec(when.UnixNano()), unix.NsecToTimespec(when.UnixNano())}
	return unix.UtimesNanoAt(parent, base, times, unix.AT_SYMLINK_NOFOLLOW)
}

func (u *unpacker) finishFolders() error {
	for i := len(u.folders) - 1; i >= 0; i-- {
		parent, err := u.open(path.Dir(u.folders[i].path), unix.O_PATH|unix.O_DIRECTORY)
		if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) {
			continue // replaced by a later entry
		}
		if err != nil {
			return err
		}
		err = setTime(parent, path.Base(u.folders[i].path), u.folders[i].time)
		_ = unix.Close(parent)
		if err != nil && !errors.Is(err, unix.ENOENT) {
			return err
		}
	}
	return nil
}

// closedToOthers: what is unpacked by root may hold set-uid files of root, made
// by a stranger. One folder on the way must be closed to the host's other users.
func closedToOthers(target string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	for dir := filepath.Dir(target); ; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		if err != nil {
			return err
		}
		if info.Mode()&fs.ModeType == fs.ModeDir && info.Mode().Perm()&0o001 == 0 {
			return nil
		}
		if dir == "/" {
			return launch.Fail(launch.InvalidArgument, nil, "everybody on this host could run set-uid programs in %s", target).
				WithRemedy("chmod 700 " + filepath.Dir(target))
		}
	}
}
