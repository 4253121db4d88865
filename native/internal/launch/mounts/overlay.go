package mounts

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"cortex.dev/native/internal/launch"
	"golang.org/x/sys/unix"
)

func (b *builder) overlay(step launch.Overlay) error {
	target, err := b.target(step.Target, false)
	if err != nil {
		return err
	}
	defer unix.Close(target)
	return b.overlayOn(target, step)
}

// overlayOn puts every layer under a short name on the stage first: idmapped
// where asked for, and so that the mount options, which can be read inside, name
// no path of the host.
func (b *builder) overlayOn(target int, step launch.Overlay) error {
	lowers, err := b.lowerLayers(step)
	if err != nil {
		return err
	}
	options, flags := "lowerdir="+strings.Join(lowers, ":"), uintptr(unix.MS_NODEV)
	if step.Upper == "" {
		flags |= unix.MS_RDONLY
	} else {
		disk, err := b.disk(step)
		if err != nil {
			return err
		}
		options += ",upperdir=" + disk + "/" + filepath.Base(step.Upper) + ",workdir=" + disk + "/" + filepath.Base(step.Work)
	}
	if step.Userxattr {
		options += ",userxattr"
	}
	if len(options) >= os.Getpagesize() {
		return launch.Fail(launch.Unsupported, nil, "%d layers are more than the kernel takes", len(lowers))
	}
	if err := b.mountOverlay(target, flags, options, step.IdmapUpper); err != nil || step.Upper == "" {
		return err
	}
	return b.checkWritable(step.Target)
}

// checkWritable: an overlay that cannot make its work folder is mounted all the
// same, read-only, and nobody is told.
func (b *builder) checkWritable(target string) error {
	mounted, err := b.target(target, false)
	if err != nil {
		return err
	}
	defer unix.Close(mounted)
	var facts unix.Statfs_t
	if err := unix.Fstatfs(mounted, &facts); err != nil {
		return fmt.Errorf("looking at the overlay on %s: %w", target, err)
	}
	if facts.Flags&unix.ST_RDONLY == 0 {
		return nil
	}
	return launch.Fail(launch.DiskFull, nil, "the kernel mounts the sandbox's %s read-only, since nothing can be made on its disk", target).
		WithRemedy("free space on the disk that holds the home folder; the kernel's reason is in dmesg")
}

func (b *builder) lowerLayers(step launch.Overlay) ([]string, error) {
	var lowers []string
	for _, lower := range step.Lowers {
		name := "l" + strconv.Itoa(b.lowers)
		b.lowers++
		if err := b.layer(lower, name, unix.MOUNT_ATTR_RDONLY, step.IdmapLowers); err != nil {
			return nil, err
		}
		lowers = append(lowers, name)
	}
	if step.Upper != "" {
		return lowers, nil
	}
	// An overlay without an upper layer needs two lower ones.
	empty, err := b.emptyLayer()
	return append(lowers, empty), err
}

// mountOverlay resolves the short names from the stage, which is the working
// directory of this thread alone meanwhile.
func (b *builder) mountOverlay(target int, flags uintptr, options string, idmapped bool) error {
	if err := unix.Chdir(b.stage); err != nil {
		return fmt.Errorf("entering the stage: %w", err)
	}
	defer func() { _ = unix.Chdir("/") }()
	uid, gid := unix.Geteuid(), unix.Getegid()
	if idmapped {
		uid, gid = b.plan.RootUID, b.plan.RootGID
	}
	err := actAs(uid, gid, func() error {
		return unix.Mount("overlay", "/proc/self/fd/"+strconv.Itoa(target), "overlay", flags, options)
	})
	if errors.Is(err, unix.EINVAL) {
		return launch.Fail(launch.NotReady, err, "the kernel refuses an overlay here (%s)", options).
			WithRemedy("put the home folder (CORTEX_HOME) on ext4, xfs or btrfs; the kernel's reason is in dmesg")
	}
	if err != nil {
		return fmt.Errorf("mounting the overlay (%s): %w", options, err)
	}
	return nil
}

func (b *builder) layer(source, name string, attributes uint64, idmap bool) error {
	tree, err := b.clone(source, false, attributes, idmap)
	if err != nil {
		return err
	}
	defer unix.Close(tree)
	return b.onStage(tree, name)
}

func (b *builder) emptyLayer() (string, error) {
	name := "l" + strconv.Itoa(b.lowers)
	b.lowers++
	if err := os.Mkdir(filepath.Join(b.stage, name), 0o755); err != nil {
		return "", fmt.Errorf("making an empty layer: %w", err)
	}
	return name, nil
}

// disk prepares the folder that holds upper and work and puts it on the stage.
func (b *builder) disk(step launch.Overlay) (string, error) {
	folder := filepath.Dir(step.Upper)
	if err := b.prepareDisk(step, folder); err != nil {
		return "", err
	}
	name := "d" + strconv.Itoa(b.disks)
	b.disks++
	return name, b.layer(folder, name, 0, step.IdmapUpper)
}

// prepareDisk makes what is missing. An unshifted disk holds files of the host's
// root, set-uid ones too, as the sandbox's root likes: nobody else on the host
// may come near.
func (b *builder) prepareDisk(step launch.Overlay, folder string) error {
	info, err := os.Lstat(folder)
	if err != nil {
		return fmt.Errorf("looking at the disk: %w", err)
	}
	if step.IdmapUpper && info.Mode().Perm()&0o077 != 0 {
		return launch.Fail(launch.InvalidArgument, nil, "the disk %s can be entered by others (mode %o)", folder, info.Mode().Perm()).
			WithRemedy("chmod 700 " + folder)
	}
	uid, gid := 0, 0
	if !step.IdmapUpper {
		uid, gid = b.plan.RootUID, b.plan.RootGID
	}
	mode := fs.FileMode(0o755)
	if lower, err := os.Stat(step.Lowers[0]); err == nil {
		mode = lower.Mode().Perm()
	}
	return errors.Join(makeOwned(step.Upper, mode, uid, gid), makeOwned(step.Work, 0o700, uid, gid))
}

func makeOwned(path string, mode fs.FileMode, uid, gid int) error {
	err := os.Mkdir(path, mode)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("making a layer of the disk: %w", err)
	}
	return errors.Join(os.Chmod(path, mode), os.Lchown(path, uid, gid))
}
