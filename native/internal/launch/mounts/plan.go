package mounts

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"cortex.dev/native/internal/launch"
	"cortex.dev/native/internal/launch/live"
	"cortex.dev/native/internal/launch/userns"
	"golang.org/x/sys/unix"
)

// Plan is what the sandbox's namespace is made of.
type Plan struct {
	Bundle string
	Steps  []launch.Mount
	// Idmap is the mapping of idmapped mounts, nil when there are none.
	Idmap *launch.Mapping
	// Root owns what is made inside: the host's ids of the sandbox's root.
	RootUID, RootGID int
	// Namespace is the user namespace with that mapping, where it is open already.
	Namespace *os.File
	// Userxattr is what overlays need in a user namespace.
	Userxattr bool
	// Cgroups are shown by a CgroupView.
	Cgroups []launch.CgroupPath
	// Live are the prepared live mounts, by the index of their step.
	Live map[int]*live.Mount
}

// builder is a plan that is being carried out.
type builder struct {
	plan  Plan
	stage string
	// idmap is the user namespace of the mapping, opened at its first use.
	idmap *os.File
	// layers counts the names l0, l1, … and d0, d1, … on the stage.
	lowers, disks int
}

// Carry does the steps in order. The calling thread is in the sandbox's mount
// namespace; nothing has to be undone, since it ends with its last process.
func (p Plan) Carry() error {
	dir, err := stage(p.Bundle)
	if err != nil {
		return err
	}
	b := &builder{plan: p, stage: dir}
	defer b.close()
	for i, step := range p.Steps {
		if err := b.step(i, step); err != nil {
			return fmt.Errorf("mount %d: %w", i, err)
		}
	}
	return nil
}

func (b *builder) close() {
	if b.idmap != nil {
		_ = b.idmap.Close()
	}
}

func (b *builder) step(index int, step launch.Mount) error {
	switch {
	case step.Live != nil:
		return b.live(*step.Live, b.plan.Live[index])
	case step.Overlay != nil:
		return b.overlay(*step.Overlay)
	case step.Bind != nil:
		return b.bind(*step.Bind)
	case step.Tmpfs != nil:
		return b.tmpfs(*step.Tmpfs)
	default:
		return b.cgroupView()
	}
}

// mapping is the descriptor of the mapping's user namespace.
func (b *builder) mapping() (int, error) {
	if b.plan.Namespace != nil {
		return int(b.plan.Namespace.Fd()), nil
	}
	if b.idmap == nil {
		opened, err := userns.Open(*b.plan.Idmap)
		if err != nil {
			return 0, err
		}
		b.idmap = opened
	}
	return int(b.idmap.Fd()), nil
}

// clone takes a detached copy of a mount with attributes. The caller closes it.
func (b *builder) clone(source string, recursive bool, attributes uint64, idmap bool) (int, error) {
	flags := uint(unix.OPEN_TREE_CLONE | unix.OPEN_TREE_CLOEXEC | unix.AT_SYMLINK_NOFOLLOW)
	change := uint(unix.AT_EMPTY_PATH)
	if recursive {
		flags |= unix.AT_RECURSIVE
		change |= unix.AT_RECURSIVE
	}
	tree, err := unix.OpenTree(unix.AT_FDCWD, source, flags)
	if err != nil {
		return 0, fmt.Errorf("taking %s: %w", source, err)
	}
	attr := unix.MountAttr{Attr_set: attributes}
	if idmap {
		namespace, err := b.mapping()
		if err != nil {
			_ = unix.Close(tree)
			return 0, err
		}
		attr.Attr_set |= unix.MOUNT_ATTR_IDMAP
		attr.Userns_fd = uint64(namespace)
	}
	if err := unix.MountSetattr(tree, "", change, &attr); err != nil {
		_ = unix.Close(tree)
		return 0, notChanged(source, idmap, err)
	}
	return tree, nil
}

// notChanged tells a file system that cannot be idmapped from other trouble.
func notChanged(source string, idmap bool, err error) error {
	if idmap && errors.Is(err, unix.EINVAL) {
		return launch.Fail(launch.NotReady, err, "the file system of %s cannot be idmapped by this kernel", source).
			WithRemedy("put the home folder (CORTEX_HOME) and the images on ext4, xfs or btrfs, with Linux 5.19 or newer")
	}
	return fmt.Errorf("setting the mount attributes of %s: %w", source, err)
}

// place puts a detached mount on a folder or file that is open.
func place(tree, target int) error {
	if err := unix.MoveMount(tree, "", target, "", unix.MOVE_MOUNT_F_EMPTY_PATH|unix.MOVE_MOUNT_T_EMPTY_PATH); err != nil {
		return fmt.Errorf("putting the mount in its place: %w", err)
	}
	return nil
}

// onStage puts a detached mount on a new folder of the stage.
func (b *builder) onStage(tree int, name string) error {
	path := filepath.Join(b.stage, name)
	if err := os.Mkdir(path, 0o755); err != nil {
		return fmt.Errorf("making a place on the stage: %w", err)
	}
	if err := unix.MoveMount(tree, "", unix.AT_FDCWD, path, unix.MOVE_MOUNT_F_EMPTY_PATH); err != nil {
		return fmt.Errorf("putting a layer on the stage: %w", err)
	}
	return nil
}
