package mounts

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// actAs runs something with other file ids on the calling thread, and with all
// its capabilities: what it makes belongs to those ids. On an idmapped layer the
// host's root has no id at all, and whatever it made would fail with EOVERFLOW;
// also the work folder and the whiteouts of an overlay, which are made with the
// ids of who mounted it.
func actAs(uid, gid int, run func() error) error {
	if uid == unix.Geteuid() && gid == unix.Getegid() {
		return run()
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var before [2]unix.CapUserData
	if err := unix.Capget(&header, &before[0]); err != nil {
		return fmt.Errorf("reading the capabilities: %w", err)
	}
	// In this order, while the change of group is still allowed; and back in the
	// reverse one. Neither call tells of failure; what is made shows it.
	_ = unix.Setfsgid(gid)
	_ = unix.Setfsuid(uid)
	defer func() {
		_ = unix.Setfsuid(unix.Geteuid())
		_ = unix.Setfsgid(unix.Getegid())
	}()
	// A file id other than 0 has dropped the capabilities over files.
	if err := unix.Capset(&header, &before[0]); err != nil {
		return fmt.Errorf("keeping the capabilities: %w", err)
	}
	return run()
}
