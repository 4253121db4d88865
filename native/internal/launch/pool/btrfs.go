// Package pool keeps the disks of a home: in a plain folder, or as subvolumes of
// a btrfs, whose simple quotas limit each.
package pool

import (
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The requests of linux/btrfs.h.
const (
	subvolCreate  = 0x5000940e // _IOW(0x94, 14, 4096)
	snapDestroy   = 0x5000940f // _IOW(0x94, 15, 4096)
	resize        = 0x50009403 // _IOW(0x94, 3, 4096)
	inoLookup     = 0xd0009412 // _IOWR(0x94, 18, 4096)
	fsInfo        = 0x8400941f // _IOR(0x94, 31, 1024)
	quotaControl  = 0xc0109428 // _IOWR(0x94, 40, 16)
	qgroupCreate  = 0x4010942a // _IOW(0x94, 42, 16)
	qgroupLimit   = 0x8030942b // _IOR(0x94, 43, 48)
	simpleQuotas  = 4
	limitReferred = 1 // BTRFS_QGROUP_LIMIT_MAX_RFER
	// subvolumeRoot is the inode number of every subvolume's own folder.
	subvolumeRoot = 256
)

func ioctl(fd int, request uintptr, argument unsafe.Pointer) error {
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), request, uintptr(argument)); errno != 0 {
		return errno
	}
	return nil
}

// named is struct btrfs_ioctl_vol_args.
type named struct {
	_    int64
	name [4088]byte
}

func namedArgument(name string) (*named, error) {
	argument := &named{}
	if len(name) >= 255 {
		return nil, unix.ENAMETOOLONG
	}
	copy(argument.name[:], name)
	return argument, nil
}

func withName(folder int, request uintptr, name string) error {
	argument, err := namedArgument(name)
	if err != nil {
		return err
	}
	return ioctl(folder, request, unsafe.Pointer(argument))
}

// openFolder opens a folder, following no link in its last part.
func openFolder(path string) (int, error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return fd, nil
}

// onBtrfs: the folder lies on one.
func onBtrfs(path string) bool {
	var facts unix.Statfs_t
	return unix.Statfs(path, &facts) == nil && facts.Type == unix.BTRFS_SUPER_MAGIC
}

// isSubvolume: the open folder is one itself.
func isSubvolume(fd int) bool {
	var facts unix.Statfs_t
	var stat unix.Stat_t
	return unix.Fstatfs(fd, &facts) == nil && facts.Type == unix.BTRFS_SUPER_MAGIC &&
		unix.Fstat(fd, &stat) == nil && stat.Ino == subvolumeRoot
}

// subvolumeID of the subvolume that an open folder belongs to.
func subvolumeID(fd int) (uint64, error) {
	var argument struct {
		tree, object uint64
		name         [4080]byte
	}
	argument.object = subvolumeRoot
	if err := ioctl(fd, inoLookup, unsafe.Pointer(&argument)); err != nil {
		return 0, fmt.Errorf("asking for the subvolume's number: %w", err)
	}
	return argument.tree, nil
}

func enableSimpleQuotas(fd int) error {
	argument := struct{ command, status uint64 }{command: simpleQuotas}
	if err := ioctl(fd, quotaControl, unsafe.Pointer(&argument)); err != nil {
		return fmt.Errorf("switching simple quotas on: %w", err)
	}
	return nil
}

// limit sets a subvolume's limit; 0 takes it away.
func limit(fd int, bytes int64) error {
	argument := struct{ group, flags, referred, exclusive, reservedReferred, reservedExclusive uint64 }{
		flags: limitReferred, referred: uint64(bytes),
	}
	if bytes == 0 {
		// All ones clear a limit (BTRFS_QGROUP_LIMIT's CLEAR_VALUE).
		argument.referred = ^uint64(0)
	}
	if err := ioctl(fd, qgroupLimit, unsafe.Pointer(&argument)); err != nil {
		return fmt.Errorf("setting the disk's limit: %w", err)
	}
	return nil
}

// forgetGroup removes the quota group of a subvolume that is gone.
func forgetGroup(pool int, id uint64) error {
	argument := struct{ create, group uint64 }{group: id}
	return ioctl(pool, qgroupCreate, unsafe.Pointer(&argument))
}

func growToDevice(pool int) error {
	if err := withName(pool, resize, "1:max"); err != nil {
		return fmt.Errorf("growing the file system: %w", err)
	}
	return nil
}

// sysfs is the folder of an open btrfs in /sys/fs/btrfs, or "".
func sysfs(fd int) string {
	var argument [1024]byte
	if ioctl(fd, fsInfo, unsafe.Pointer(&argument)) != nil {
		return ""
	}
	// struct btrfs_ioctl_fs_info_args: max_id, num_devices, fsid.
	id := hex.EncodeToString(argument[16:32])
	folder := "/sys/fs/btrfs/" + strings.Join([]string{id[:8], id[8:12], id[12:16], id[16:20], id[20:]}, "-")
	if _, err := os.Stat(folder); err != nil {
		return ""
	}
	return folder
}

// quotasOn: limits can be set and are held.
func quotasOn(fd int) bool {
	folder := sysfs(fd)
	if folder == "" {
		return false
	}
	on, err := number(filepath.Join(folder, "qgroups", "enabled"))
	return err == nil && on == 1
}

// groupOf reads a subvolume's quota group: what it holds and may hold.
func groupOf(sysfs string, id uint64) (bytes, most int64, err error) {
	folder := filepath.Join(sysfs, "qgroups", "0_"+strconv.FormatUint(id, 10))
	if bytes, err = number(filepath.Join(folder, "referenced")); err != nil {
		return 0, 0, err
	}
	if flags, err := number(filepath.Join(folder, "limit_flags")); err == nil && flags&limitReferred == 0 {
		return bytes, 0, nil
	}
	most, err = number(filepath.Join(folder, "max_referenced"))
	return bytes, most, err
}

// groups are the numbers of all subvolumes that have a quota group.
func groups(sysfs string) ([]uint64, error) {
	entries, err := os.ReadDir(filepath.Join(sysfs, "qgroups"))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var ids []uint64
	for _, entry := range entries {
		if text, of := strings.CutPrefix(entry.Name(), "0_"); of {
			if id, err := strconv.ParseUint(text, 10, 64); err == nil {
				ids = append(ids, id)
			}
		}
	}
	return ids, nil
}

func number(path string) (int64, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(strings.TrimSpace(string(text)), 0, 64)
}
