package untar

import "golang.org/x/sys/unix"

const (
	// reserve stays free on the disk for everybody else: a daemon that cannot
	// write any more cannot stop its sandboxes either.
	reserve = 256 << 20
	// reserveShare is the reserve's part of a disk too small for that.
	reserveShare = 20
	// lookEvery so many bytes.
	lookEvery = 32 << 20
)

// Room ends an archive that would fill the disk before it has.
type Room struct {
	folder int
	since  int64
}

// NewRoom looks at once: the next look comes after lookEvery.
func NewRoom(folder int) *Room { return &Room{folder: folder, since: lookEvery} }

// Taken counts what is about to be written.
func (r *Room) Taken(bytes int64) error {
	r.since += bytes
	if r.since < lookEvery {
		return nil
	}
	r.since = 0
	var disk unix.Statfs_t
	if err := unix.Fstatfs(r.folder, &disk); err != nil {
		return err
	}
	block := uint64(disk.Bsize)
	if disk.Blocks > 0 && disk.Bavail*block < min(reserve, disk.Blocks*block/reserveShare) {
		return unix.ENOSPC
	}
	return nil
}
