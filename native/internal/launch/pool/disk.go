package pool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"cortex.dev/native/internal/launch"
	"golang.org/x/sys/unix"
)

// MakeDisk makes a disk where it is missing, sets its limit, and makes folders
// on it. Idempotent.
func MakeDisk(disk launch.Disk) error {
	parent := filepath.Dir(disk.Path)
	if disk.Subvolume && !onBtrfs(parent) {
		return launch.Fail(launch.NotReady, nil, "the pool of disks is not mounted at %s", parent).
			WithRemedy("cortex doctor")
	}
	if !exists(disk.Path) {
		if err := makeNew(disk, parent); err != nil {
			return err
		}
	}
	// It holds set-uid files that belong to the host's root.
	if err := os.Chmod(disk.Path, 0o700); err != nil {
		return err
	}
	if disk.LimitBytes > 0 {
		if err := setLimit(disk); err != nil {
			return err
		}
	}
	for _, folder := range disk.Folders {
		if err := os.MkdirAll(filepath.Join(disk.Path, folder), 0o700); err != nil {
			return err
		}
	}
	return nil
}

// startRoom is what a start may take of a disk beyond its limit: folders that the
// kernel and the runtime make, and what btrfs sets aside for each.
const startRoom = 16 << 20

// Room is what a start has of a disk beyond its limit, until Close.
type Room struct {
	disk  int
	limit int64
}

// MakeDiskWithRoom makes a disk whose limit leaves room for a start, even where
// the disk is full: an overlay that has none is mounted read-only, and a sandbox
// that ran full could never remove anything again. A room that is not closed
// goes with the next start.
func MakeDiskWithRoom(disk launch.Disk) (*Room, error) {
	room := &Room{disk: -1, limit: disk.LimitBytes}
	if disk.LimitBytes <= 0 {
		return room, MakeDisk(disk)
	}
	roomy := disk
	roomy.LimitBytes += startRoom
	if usage, known := Measured(disk.Path); known {
		// A limit may be lowered below what is there.
		roomy.LimitBytes = max(disk.LimitBytes, usage.Bytes) + startRoom
	}
	if err := MakeDisk(roomy); err != nil {
		return nil, err
	}
	var err error
	room.disk, err = openFolder(disk.Path)
	return room, err
}

// Close sets the disk's own limit; from whatever mount namespace. Idempotent.
func (r *Room) Close() error {
	if r.disk < 0 {
		return nil
	}
	err := limit(r.disk, r.limit)
	_ = unix.Close(r.disk)
	r.disk = -1
	return err
}

func makeNew(disk launch.Disk, parent string) error {
	if !disk.Subvolume {
		if err := os.Mkdir(disk.Path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		return nil
	}
	folder, err := openFolder(parent)
	if err != nil {
		return err
	}
	defer unix.Close(folder)
	// The mask is the only word that the request has about the mode.
	before := unix.Umask(0o077)
	err = withName(folder, subvolCreate, filepath.Base(disk.Path))
	unix.Umask(before)
	if err != nil && !errors.Is(err, unix.EEXIST) {
		return fmt.Errorf("making the disk %s: %w", disk.Path, err)
	}
	return nil
}

func setLimit(disk launch.Disk) error {
	fd, err := openFolder(disk.Path)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if !isSubvolume(fd) {
		return launch.Fail(launch.Unsupported, nil, "%s is a plain folder, which has no limit", disk.Path).
			WithRemedy("leave --disk out, or wipe the disk and make it anew")
	}
	return limit(fd, disk.LimitBytes)
}

// DestroySubvolume deletes a disk in one step, however many files it has. done:
// it was a subvolume, and is gone.
func DestroySubvolume(path string) (done bool, err error) {
	fd, err := openFolder(path)
	if err != nil {
		return false, nil
	}
	is := isSubvolume(fd) && !mountRoot(path)
	id, known := subvolumeID(fd)
	_ = unix.Close(fd)
	if !is {
		return false, nil
	}
	folder, err := openFolder(filepath.Dir(path))
	if err != nil {
		return false, err
	}
	defer unix.Close(folder)
	err = withName(folder, snapDestroy, filepath.Base(path))
	if errors.Is(err, unix.ENOTEMPTY) || errors.Is(err, unix.EPERM) {
		// It holds other subvolumes, or this caller may not: file by file then.
		return false, nil
	}
	if err != nil && !errors.Is(err, unix.ENOENT) {
		return false, fmt.Errorf("deleting the disk %s: %w", path, err)
	}
	if known == nil {
		// Newer kernels do it by themselves once the disk is taken apart, and until
		// then answer EBUSY; what an older one keeps goes when the pool is opened.
		_ = forgetGroup(folder, id)
	}
	return true, nil
}

// sweepGroups forgets the quota groups of disks that are gone for good. Only for
// a file system that holds nothing but disks.
func sweepGroups(pool int, path string) {
	all, err := groups(sysfs(pool))
	if err != nil || len(all) == 0 {
		return
	}
	names, err := namesIn(path)
	if err != nil {
		return
	}
	living := map[uint64]bool{}
	for _, name := range names {
		fd, err := openFolder(filepath.Join(path, name))
		if err != nil {
			continue
		}
		id, err := subvolumeID(fd)
		_ = unix.Close(fd)
		if err != nil {
			return
		}
		living[id] = true
	}
	for _, id := range all {
		if id >= subvolumeRoot && !living[id] {
			_ = forgetGroup(pool, id)
		}
	}
}

// Disks lists the disks of a pool's folder with what each takes, as far as that
// can be told without walking them.
func Disks(folder string) (launch.DiskList, error) {
	list := launch.DiskList{Version: launch.Version, Disks: []launch.DiskUsage{}}
	names, err := namesIn(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return list, nil
	}
	if err != nil {
		return list, err
	}
	groups := quotaGroups(folder)
	for _, name := range names {
		list.Disks = append(list.Disks, measured(folder, name, groups))
	}
	return list, nil
}

// Measured is what a single disk takes, where its file system keeps count.
func Measured(path string) (disk launch.DiskUsage, known bool) {
	disk = measured(filepath.Dir(path), filepath.Base(path), quotaGroups(filepath.Dir(path)))
	return disk, disk.Measured
}

// quotaGroups is where the kernel shows the counts of a folder's file system.
func quotaGroups(folder string) string {
	if !onBtrfs(folder) {
		return ""
	}
	fd, err := openFolder(folder)
	if err != nil {
		return ""
	}
	defer unix.Close(fd)
	if !quotasOn(fd) {
		return ""
	}
	return sysfs(fd)
}

func measured(folder, name, groups string) launch.DiskUsage {
	disk := launch.DiskUsage{Name: name}
	if groups == "" {
		return disk
	}
	fd, err := openFolder(filepath.Join(folder, name))
	if err != nil {
		return disk
	}
	defer unix.Close(fd)
	if !isSubvolume(fd) {
		return disk
	}
	id, err := subvolumeID(fd)
	if err != nil {
		return disk
	}
	if disk.Bytes, disk.LimitBytes, err = groupOf(groups, id); err == nil {
		disk.Measured = true
	}
	return disk
}
