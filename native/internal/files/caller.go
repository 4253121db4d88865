package files

import (
	"fmt"
	"runtime"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Caller is who asks: its file-system rights and the places that its relative paths mean.
// A Caller is a value; its methods may be used from many goroutines at once.
type Caller struct {
	UID    uint32
	GID    uint32
	Groups []uint32 // supplementary
	Home   string   // what ~ means
	Cwd    string   // what relative paths are resolved against; absolute
	// Switch makes every operation run with the ids above, on a thread that takes them for the
	// time being. It needs CAP_SETUID and CAP_SETGID; without it operations run as the process.
	Switch bool
}

// as runs work with the caller's file-system rights. Everything that work does to files it must
// do on its own goroutine.
func (c Caller) as(work func() error) error {
	if !c.Switch {
		return work()
	}
	type outcome struct {
		err      error
		panicked any
	}
	done := make(chan outcome, 1)
	// A goroutine of its own: should the thread's rights not come back with certainty, the
	// goroutine ends while it is locked to the thread, and the runtime ends the thread with it.
	go func() {
		var o outcome
		defer func() { done <- o }()
		defer func() { o.panicked = recover() }()
		runtime.LockOSThread()
		before, err := threadRights()
		if err != nil {
			runtime.UnlockOSThread()
			o.err = err
			return
		}
		defer func() {
			if before.restore() == nil {
				runtime.UnlockOSThread()
			}
		}()
		if o.err = c.take(before); o.err == nil {
			o.err = work()
		}
	}()
	o := <-done
	if o.panicked != nil {
		panic(o.panicked)
	}
	return o.err
}

// rights are the file-system ids of one thread.
type rights struct {
	uid, gid uint32
	groups   []uint32
}

func threadRights() (rights, error) {
	groups, err := threadGroups()
	if err != nil {
		return rights{}, &Error{Code: Internal, Message: "cannot read the groups of a thread: " + err.Error(), cause: err}
	}
	return rights{uid: uint32(unix.Geteuid()), gid: uint32(unix.Getegid()), groups: groups}, nil
}

// take gives the calling thread the caller's rights and looks that it has them.
func (c Caller) take(before rights) error {
	// The groups first: with another fsuid the thread keeps CAP_SETGID, but the order that needs
	// no such knowledge is as cheap.
	if err := setThreadRights(rights{uid: c.UID, gid: c.GID, groups: c.Groups}, before.groups); err != nil {
		return &Error{
			Code:    Denied,
			Message: fmt.Sprintf("cannot take the file rights of uid %d: %v", c.UID, err),
			Remedy:  "name the default user",
			cause:   err,
		}
	}
	if c.UID == 0 {
		return nil
	}
	// The kernel takes CAP_DAC_OVERRIDE and its kin from a thread whose fsuid leaves 0, unless its
	// secure bits say otherwise. Working on with them would make every check above meaningless.
	held, err := effectiveCapabilities()
	if err != nil {
		return &Error{Code: Internal, Message: "cannot read the capabilities of a thread: " + err.Error(), cause: err}
	}
	if held&fileCapabilities != 0 {
		return &Error{
			Code:    Internal,
			Message: fmt.Sprintf("the thread kept file capabilities (%#x) when it became uid %d", held&fileCapabilities, c.UID),
			Remedy:  "start the neuron without SECBIT_NO_SETUID_FIXUP",
		}
	}
	return nil
}

func (before rights) restore() error {
	// As uid 0 first: some security modules let only the file-system root change groups.
	if err := setFsuid(before.uid); err != nil {
		return err
	}
	groups, err := threadGroups()
	if err != nil {
		return err
	}
	return setThreadRights(before, groups)
}

func setThreadRights(r rights, groups []uint32) error {
	if !slices.Equal(r.groups, groups) {
		if err := setThreadGroups(r.groups); err != nil {
			return fmt.Errorf("setgroups: %w", err)
		}
	}
	if err := setFsgid(r.gid); err != nil {
		return err
	}
	return setFsuid(r.uid)
}

// Raw calls on purpose: the ones in package syscall change every thread of the process.

func setFsuid(uid uint32) error {
	return setFileID("setfsuid", unix.SYS_SETFSUID, unix.SYS_SETRESUID, uid)
}

func setFsgid(gid uint32) error {
	return setFileID("setfsgid", unix.SYS_SETFSGID, unix.SYS_SETRESGID, gid)
}

// setFileID sets the id that counts for files. gVisor has none apart from the effective one, whose
// loss takes the same capabilities from the thread; real and saved ids, by which others may signal
// it, stay.
func setFileID(name string, fileCall, allCall uintptr, id uint32) error {
	const leave = ^uintptr(0)
	if _, _, errno := unix.RawSyscall(fileCall, uintptr(id), 0, 0); errno == unix.ENOSYS {
		if _, _, errno := unix.RawSyscall(allCall, leave, uintptr(id), leave); errno != 0 {
			return fmt.Errorf("%s: %w", name, errno)
		}
		return nil
	}
	// The call does not say whether it worked; asking with an id that cannot be does.
	if now, _, _ := unix.RawSyscall(fileCall, leave, 0, 0); uint32(now) != id {
		return fmt.Errorf("%s: not permitted", name)
	}
	return nil
}

func setThreadGroups(groups []uint32) error {
	var first unsafe.Pointer
	if len(groups) > 0 {
		first = unsafe.Pointer(&groups[0])
	}
	if _, _, errno := unix.RawSyscall(unix.SYS_SETGROUPS, uintptr(len(groups)), uintptr(first), 0); errno != 0 {
		return errno
	}
	return nil
}

func threadGroups() ([]uint32, error) {
	n, _, errno := unix.RawSyscall(unix.SYS_GETGROUPS, 0, 0, 0)
	if errno != 0 {
		return nil, errno
	}
	if n == 0 {
		return nil, nil
	}
	groups := make([]uint32, n)
	n, _, errno = unix.RawSyscall(unix.SYS_GETGROUPS, n, uintptr(unsafe.Pointer(&groups[0])), 0)
	if errno != 0 {
		return nil, errno
	}
	return groups[:n], nil
}

// fileCapabilities are those that let a thread pass over the rights of files.
const fileCapabilities = uint64(1<<unix.CAP_CHOWN | 1<<unix.CAP_DAC_OVERRIDE | 1<<unix.CAP_DAC_READ_SEARCH | 1<<unix.CAP_FOWNER)

func effectiveCapabilities() (uint64, error) {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if _, _, errno := unix.RawSyscall(unix.SYS_CAPGET, uintptr(unsafe.Pointer(&header)), uintptr(unsafe.Pointer(&data[0])), 0); errno != 0 {
		return 0, errno
	}
	return uint64(data[1].Effective)<<32 | uint64(data[0].Effective), nil
}
