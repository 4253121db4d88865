// Package mounts carries out the mount plan of a sandbox in a mount namespace of
// its own. Everything goes by descriptors: of what is mounted, and of where it
// goes, so that no link that a guest left on its disk is followed.
package mounts

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Names inside the stage, <bundle>/mnt.
const (
	stageName  = "mnt"
	rootfsName = "rootfs"
	cgroupName = "cgroup"
)

// Separate gives the calling thread, to which the caller is locked, a mount
// namespace from which nothing comes back to the host.
func Separate() error {
	if err := unix.Unshare(unix.CLONE_NEWNS); err != nil {
		return fmt.Errorf("making a mount namespace: %w", err)
	}
	return Private()
}

// Private cuts the calling thread's mount namespace off from its origin.
func Private() error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("cutting the mount namespace off: %w", err)
	}
	return nil
}

// stage mounts the small tmpfs in which the sandbox is put together.
func stage(bundle string) (string, error) {
	dir := filepath.Join(bundle, stageName)
	if err := os.Mkdir(dir, 0o711); err != nil && !os.IsExist(err) {
		return "", fmt.Errorf("making the stage: %w", err)
	}
	// Mode 711 and folders of 755: the sandbox's root, which is nobody here, must
	// come through to its root file system.
	if err := unix.Mount("tmpfs", dir, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "size=1m,mode=711"); err != nil {
		return "", fmt.Errorf("mounting the stage: %w", err)
	}
	for _, name := range []string{rootfsName, cgroupName} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			return "", fmt.Errorf("making the stage's folders: %w", err)
		}
	}
	return dir, nil
}
