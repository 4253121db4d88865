package probe

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"unsafe"

	"cortex.dev/native/internal/launch"
	"cortex.dev/native/internal/launch/mounts"
	"cortex.dev/native/internal/launch/userns"
	"golang.org/x/sys/unix"
)

// InsideVerb is the hidden verb by which the launcher tries things in a user
// namespace.
const InsideVerb = "probe-inside"

// errNoNamespace tells that not even the namespace could be made.
var errNoNamespace = errors.New("no user namespace")

func seccomp() error {
	const actionAvail = 2
	action := uint32(unix.SECCOMP_RET_ERRNO)
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, actionAvail, 0, uintptr(unsafe.Pointer(&action)))
	if errno != 0 {
		return errno
	}
	return nil
}

// askInside runs this program in a new user namespace in which the caller alone
// is mapped, which needs no other program.
func askInside() error {
	command := exec.Command("/proc/self/exe", InsideVerb)
	command.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  unix.CLONE_NEWUSER | unix.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}},
		Pdeathsig:   unix.SIGKILL,
	}
	var words strings.Builder
	command.Stderr = &words
	if err := command.Start(); err != nil {
		return fmt.Errorf("%w: %w", errNoNamespace, err)
	}
	if err := command.Wait(); err != nil {
		return errors.New(strings.TrimSpace(words.String()))
	}
	return nil
}

func userNamespace(err error) error {
	if errors.Is(err, errNoNamespace) {
		return err
	}
	return nil
}

// Inside is what InsideVerb does.
func Inside() error {
	if err := mounts.Private(); err != nil {
		return err
	}
	return tryOverlay("", ",userxattr")
}

// mountsOf tries as root what start does: an overlay, and idmapped layers.
func mountsOf(facts *launch.Probed, folder string) {
	if facts.Euid != 0 {
		facts.Reasons["idmapped_mounts"] = "idmapped mounts are root's"
		return
	}
	if err := mounts.Separate(); err != nil {
		facts.Reasons["overlay"], facts.Reasons["idmapped_mounts"] = err.Error(), err.Error()
		return
	}
	facts.Overlay = told(facts, "overlay", tryOverlay("", ""))
	facts.IdmappedMounts = told(facts, "idmapped_mounts", tryOverlay(folder, ""))
}

// tryOverlay mounts one on a tmpfs that only this mount namespace has; with a
// folder as an idmapped lower layer.
func tryOverlay(folder, options string) error {
	stage := os.TempDir()
	if err := unix.Mount("tmpfs", stage, "tmpfs", 0, "size=64k"); err != nil {
		return fmt.Errorf("mounting a tmpfs: %w", err)
	}
	defer func() { _ = unix.Unmount(stage, unix.MNT_DETACH) }()
	for _, name := range []string{"l", "u", "w", "m"} {
		if err := os.Mkdir(filepath.Join(stage, name), 0o755); err != nil {
			return err
		}
	}
	if folder != "" {
		if err := showIdmapped(folder, filepath.Join(stage, "l")); err != nil {
			return err
		}
	}
	data := fmt.Sprintf("lowerdir=%[1]s/l,upperdir=%[1]s/u,workdir=%[1]s/w%[2]s", stage, options)
	if err := unix.Mount("overlay", filepath.Join(stage, "m"), "overlay", 0, data); err != nil {
		return fmt.Errorf("mounting an overlay: %w", err)
	}
	return unix.Unmount(filepath.Join(stage, "m"), unix.MNT_DETACH)
}

func showIdmapped(folder, target string) error {
	shifted := []launch.IDRange{{ContainerID: 0, HostID: 1_000_000, Size: userns.Span}}
	namespace, err := userns.Open(launch.Mapping{Uids: shifted, Gids: shifted})
	if err != nil {
		return err
	}
	defer namespace.Close()
	tree, err := unix.OpenTree(unix.AT_FDCWD, folder, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
	if err != nil {
		return fmt.Errorf("taking %s: %w", folder, err)
	}
	defer unix.Close(tree)
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_IDMAP | unix.MOUNT_ATTR_RDONLY, Userns_fd: uint64(namespace.Fd())}
	if err := unix.MountSetattr(tree, "", unix.AT_EMPTY_PATH, &attr); err != nil {
		return fmt.Errorf("idmapping %s: %w", folder, err)
	}
	return unix.MoveMount(tree, "", unix.AT_FDCWD, target, unix.MOVE_MOUNT_F_EMPTY_PATH)
}
