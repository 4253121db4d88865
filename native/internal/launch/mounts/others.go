package mounts

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"cortex.dev/native/internal/launch"
	"golang.org/x/sys/unix"
)

func (b *builder) bind(step launch.Bind) error {
	attributes := uint64(unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV)
	if step.ReadOnly {
		attributes |= unix.MOUNT_ATTR_RDONLY
	}
	if step.Hidden {
		covered, err := b.cover(step)
		if err != nil {
			return err
		}
		step.Source, step.Idmap = covered, false
	}
	tree, err := b.clone(step.Source, step.Recursive, attributes, step.Idmap)
	if err != nil {
		return err
	}
	defer unix.Close(tree)
	target, err := b.target(step.Target, step.File)
	if err != nil {
		return err
	}
	defer unix.Close(target)
	return place(tree, target)
}

// cover shows the source's folder through an overlay on the stage, and returns
// where the source is then.
func (b *builder) cover(step launch.Bind) (string, error) {
	place, err := b.emptyLayer()
	if err != nil {
		return "", err
	}
	target, err := unix.Open(filepath.Join(b.stage, place), unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return "", fmt.Errorf("opening a place on the stage: %w", err)
	}
	defer unix.Close(target)
	layer := launch.Overlay{Lowers: []string{filepath.Dir(step.Source)}, IdmapLowers: step.Idmap, Userxattr: b.plan.Userxattr}
	if err := b.overlayOn(target, layer); err != nil {
		return "", err
	}
	return filepath.Join(b.stage, place, filepath.Base(step.Source)), nil
}

// tmpfs goes through the new calls, so that the mount can be put on an open
// folder, and belongs to the sandbox's root.
func (b *builder) tmpfs(step launch.Tmpfs) error {
	mode := step.Mode
	if mode == "" {
		mode = "755"
	}
	options := map[string]string{
		"source": "tmpfs",
		"size":   strconv.FormatInt(step.Size, 10),
		"mode":   mode,
		"uid":    strconv.Itoa(b.plan.RootUID),
		"gid":    strconv.Itoa(b.plan.RootGID),
	}
	if step.Inodes > 0 {
		options["nr_inodes"] = strconv.FormatInt(step.Inodes, 10)
	}
	attributes := unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV
	if step.NoExec {
		attributes |= unix.MOUNT_ATTR_NOEXEC
	}
	tree, err := newTmpfs(options, attributes)
	if err != nil {
		return err
	}
	defer unix.Close(tree)
	target, err := b.target(step.Target, false)
	if err != nil {
		return err
	}
	defer unix.Close(target)
	return place(tree, target)
}

func newTmpfs(options map[string]string, attributes int) (int, error) {
	context, err := unix.Fsopen("tmpfs", unix.FSOPEN_CLOEXEC)
	if err != nil {
		return 0, fmt.Errorf("opening a tmpfs: %w", err)
	}
	defer unix.Close(context)
	for key, value := range options {
		if err := unix.FsconfigSetString(context, key, value); err != nil {
			return 0, fmt.Errorf("a tmpfs with %s=%s: %w", key, value, err)
		}
	}
	if err := unix.FsconfigCreate(context); err != nil {
		return 0, fmt.Errorf("making a tmpfs: %w", err)
	}
	tree, err := unix.Fsmount(context, unix.FSMOUNT_CLOEXEC, attributes)
	if err != nil {
		return 0, fmt.Errorf("mounting a tmpfs: %w", err)
	}
	return tree, nil
}

// CgroupPlace is where a CgroupView puts the groups of a controller.
func CgroupPlace(bundle, controller string) string {
	return filepath.Join(bundle, stageName, cgroupName, controller)
}

// cgroupView shows the sandbox's groups on the stage, where the runtime takes
// them from.
func (b *builder) cgroupView() error {
	const attributes = unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV | unix.MOUNT_ATTR_NOEXEC
	for _, group := range b.plan.Cgroups {
		place := CgroupPlace(b.plan.Bundle, group.Controller)
		if err := os.Mkdir(place, 0o755); err != nil && !os.IsExist(err) {
			return fmt.Errorf("making a place for the control groups: %w", err)
		}
		tree, err := b.clone(group.Path, false, attributes, false)
		if err != nil {
			return err
		}
		err = unix.MoveMount(tree, "", unix.AT_FDCWD, place, unix.MOVE_MOUNT_F_EMPTY_PATH)
		_ = unix.Close(tree)
		if err != nil {
			return fmt.Errorf("showing the control group %s: %w", group.Path, err)
		}
	}
	return nil
}
