package live

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"syscall"

	"cortex.dev/native/internal/launch"
	"golang.org/x/sys/unix"
)

// Mount is a live mount that waits to be made: its guard runs already.
type Mount struct {
	device, gate *os.File
	guard        *os.Process
	readOnly     bool
	// made: the guard goes with the mount.
	made bool
}

// Prepare starts the guard of a folder. It is called before anything of the
// sandbox is mounted: the guard has a mount namespace of its own, so that the
// sandbox's ends with the sandbox.
func Prepare(id string, step launch.Live, settings Settings) (*Mount, error) {
	folder, err := take(step.Source)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	device, err := os.OpenFile("/dev/fuse", os.O_RDWR, 0)
	if err != nil {
		return nil, launch.Fail(launch.Unsupported, err, "live mounts need /dev/fuse").
			WithRemedy("sudo chmod 666 /dev/fuse, or copy the folder: --workspace " + step.Source)
	}
	read, write, err := os.Pipe()
	if err != nil {
		_ = device.Close()
		return nil, fmt.Errorf("making a pipe: %w", err)
	}
	defer read.Close()
	settings.Rule = Rule{WritableHooks: step.WritableHooks, Within: Within(step.Source), Also: configured(folder, step.Source)}
	guard, err := start(id, settings, device, folder, read)
	if err != nil {
		return nil, errors.Join(err, device.Close(), write.Close())
	}
	return &Mount{device: device, gate: write, guard: guard, readOnly: step.ReadOnly}, nil
}

// take is a copy of the folder's mount for the guard alone: without what is
// mounted beneath it, without devices and set-uid programs. The folder was named
// without links: one that is on the way now was put there since, perhaps by another
// sandbox that has a folder above it mounted.
func take(source string) (*os.File, error) {
	tree, err := clone(source)
	switch {
	case errors.Is(err, unix.ELOOP):
		return nil, launch.Fail(launch.Denied, nil, "the way to %s leads through a link now, and is not followed", source).
			WithRemedy("look at it: namei -l " + source)
	case errors.Is(err, unix.ENOENT):
		return nil, launch.Fail(launch.NotFound, nil, "the folder %s, which is mounted live, is gone", source).
			WithRemedy("make it again: mkdir -p " + source)
	case err != nil:
		return nil, launch.Fail(launch.NotReady, err, "the folder %s cannot be mounted", source)
	}
	folder := os.NewFile(uintptr(tree), source)
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV}
	if err := unix.MountSetattr(tree, "", unix.AT_EMPTY_PATH, &attr); err != nil {
		_ = folder.Close()
		return nil, fmt.Errorf("setting the mount attributes of %s: %w", source, err)
	}
	var stat unix.Stat_t
	if err := unix.Fstat(tree, &stat); err != nil || stat.Mode&unix.S_IFMT != unix.S_IFDIR {
		_ = folder.Close()
		return nil, launch.Fail(launch.InvalidArgument, err, "%s is no folder", source).WithRemedy("mount the folder that holds it")
	}
	return folder, nil
}

func clone(source string) (int, error) {
	found, err := unix.Openat2(unix.AT_FDCWD, source, &unix.OpenHow{
		Flags: unix.O_PATH | unix.O_NOFOLLOW | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS,
	})
	if err != nil {
		return -1, err
	}
	defer unix.Close(found)
	return unix.OpenTree(found, "", unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_EMPTY_PATH)
}

func start(id string, settings Settings, device, folder, gate *os.File) (*os.Process, error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	guard, err := os.StartProcess("/proc/self/exe", append([]string{"launcher", Verb, id}, settings.arguments()...), &os.ProcAttr{
		Dir:   "/",
		Env:   []string{},
		Files: []*os.File{null, null, null, device, folder, gate},
		Sys:   &syscall.SysProcAttr{Setsid: true, Unshareflags: unix.CLONE_NEWNS},
	})
	if err != nil {
		return nil, launch.Fail(launch.DriverFailed, err, "starting the guard of a live mount")
	}
	return guard, nil
}

// On makes the mount on an open folder and lets the guard begin.
func (m *Mount) On(target int) error {
	flags := uintptr(unix.MS_NOSUID | unix.MS_NODEV)
	if m.readOnly {
		flags |= unix.MS_RDONLY
	}
	options := "fd=" + strconv.Itoa(int(m.device.Fd())) + ",rootmode=40755,user_id=0,group_id=0,allow_other,default_permissions"
	if err := unix.Mount("cortex", procPath(target), "fuse", flags, options); err != nil {
		return launch.Fail(launch.NotReady, err, "the kernel refuses a live mount here").
			WithRemedy("copy the folder instead: --workspace")
	}
	m.made = true
	_, err := m.gate.Write([]byte{1})
	return errors.Join(err, m.close())
}

func (m *Mount) close() error {
	return errors.Join(m.device.Close(), m.gate.Close(), m.guard.Release())
}

// Undo ends the guard of a mount that was not made.
func (m *Mount) Undo() error {
	if m.made {
		return nil
	}
	err := m.guard.Kill()
	_, _ = m.guard.Wait()
	return errors.Join(err, m.close())
}
