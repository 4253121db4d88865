package mounts

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"cortex.dev/native/internal/launch"
	"golang.org/x/sys/unix"
)

// coverable are folders that hosts have, that everybody may pass through to, and
// that no runtime looks into. The first is one of the few in sysfs that may be
// covered: under any other cover the kernel lets no container mount sysfs.
var coverable = []string{"/sys/kernel/debug", "/dev/shm", "/mnt"}

// Coverable is one of them that does not hold the bundle.
func Coverable(bundle string) (string, error) {
	for _, folder := range coverable {
		info, err := os.Stat(folder)
		if err == nil && info.IsDir() && !strings.HasPrefix(bundle, folder+"/") {
			return folder, nil
		}
	}
	return "", launch.Fail(launch.NotReady, nil, "this host has none of the folders %s", strings.Join(coverable, ", ")).
		WithRemedy("sudo mkdir /mnt")
}

// RuntimePlace is what the OCI runtime sees of its sandbox. It covers a folder of
// the host in this namespace: everybody may pass through the folders above it,
// which the container's first process does as a user that is nobody on the host,
// while the bundle is closed to all but its owner. For crun it covers the control
// groups, since crun refuses a host that has v1 and v2 at once, even when it has
// nothing to do with them.
type RuntimePlace struct{ top string }

// Cover makes the place.
func Cover(top string) (RuntimePlace, error) {
	if err := unix.Mount("tmpfs", top, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "size=4m,mode=755"); err != nil {
		return RuntimePlace{}, fmt.Errorf("covering %s for the runtime: %w", top, err)
	}
	return RuntimePlace{top}, nil
}

// Uncover shows again what was covered.
func (p RuntimePlace) Uncover() error { return unix.Unmount(p.top, unix.MNT_DETACH) }

// Bundle is the folder to give to the runtime.
func (p RuntimePlace) Bundle() string { return p.top }

// Fill puts the configuration and the root file system of the stage there.
func (p RuntimePlace) Fill(bundle string, config []byte) error {
	if err := os.WriteFile(filepath.Join(p.top, "config.json"), config, 0o600); err != nil {
		return fmt.Errorf("writing the configuration: %w", err)
	}
	rootfs := filepath.Join(p.top, stageName, rootfsName)
	if err := os.MkdirAll(rootfs, 0o755); err != nil {
		return fmt.Errorf("making the place of the root file system: %w", err)
	}
	return moveInto(filepath.Join(bundle, stageName, rootfsName), rootfs, 0)
}

// Program shows the runtime's program read-only there. A container cannot write
// to it through /proc/<pid>/exe then; crun would take care of that itself by a
// second exec of itself, which costs 2 to 3 ms.
func (p RuntimePlace) Program(program string) (string, error) {
	shown := filepath.Join(p.top, filepath.Base(program))
	if err := os.WriteFile(shown, nil, 0o700); err != nil {
		return "", fmt.Errorf("making a place for the runtime: %w", err)
	}
	return shown, moveInto(program, shown, unix.MOUNT_ATTR_RDONLY)
}

// moveInto shows source, with what is mounted below it, at target.
func moveInto(source, target string, attributes uint64) error {
	tree, err := unix.OpenTree(unix.AT_FDCWD, source, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
	if err != nil {
		return fmt.Errorf("taking %s: %w", source, err)
	}
	defer unix.Close(tree)
	if attributes != 0 {
		attr := unix.MountAttr{Attr_set: attributes}
		if err := unix.MountSetattr(tree, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &attr); err != nil {
			return fmt.Errorf("setting the mount attributes of %s: %w", source, err)
		}
	}
	if err := unix.MoveMount(tree, "", unix.AT_FDCWD, target, unix.MOVE_MOUNT_F_EMPTY_PATH); err != nil {
		return fmt.Errorf("showing %s to the runtime: %w", source, err)
	}
	return nil
}
