// Package userns makes user namespaces: a helper whose mapping idmapped mounts
// use, and the one that an ordinary user's sandboxes live in.
package userns

import (
	"fmt"
	"os"
	"strings"

	"cortex.dev/native/internal/launch"
	"golang.org/x/sys/unix"
)

// Open makes a user namespace with this mapping and returns a descriptor of it.
// No process stays in it. Its owner is the user who is root in it: what the
// kernel counts by user (inotify instances, above all) is counted beneath that
// user, so that a sandbox takes nothing from root and from others. Needs root.
func Open(mapping launch.Mapping) (*os.File, error) {
	uid, _ := mapping.RootIDs(0, 0)
	pid, err := forkAs(uid, unix.CLONE_NEWUSER)
	if err != nil {
		return nil, fmt.Errorf("making a user namespace for the mapping: %w", err)
	}
	defer func() {
		_ = unix.Kill(pid, unix.SIGKILL)
		_, _ = unix.Wait4(pid, nil, 0, nil)
	}()
	proc := fmt.Sprintf("/proc/%d/", pid)
	for file, ranges := range map[string][]launch.IDRange{"uid_map": mapping.Uids, "gid_map": mapping.Gids} {
		if err := os.WriteFile(proc+file, []byte(lines(ranges)), 0); err != nil {
			return nil, fmt.Errorf("writing the mapping: %w", err)
		}
	}
	namespace, err := os.Open(proc + "ns/user")
	if err != nil {
		return nil, fmt.Errorf("opening the user namespace of the mapping: %w", err)
	}
	return namespace, nil
}

func lines(ranges []launch.IDRange) string {
	var text strings.Builder
	for _, ids := range ranges {
		fmt.Fprintf(&text, "%d %d %d\n", ids.ContainerID, ids.HostID, ids.Size)
	}
	return text.String()
}

// forkAs is forkInto with the effective user of this thread, and of no other,
// changed for the moment. The caller is locked to its thread.
func forkAs(uid int, flags uintptr) (int, error) {
	if err := become(uid); err != nil {
		return 0, err
	}
	pid, errno := forkInto(flags)
	if err := become(os.Getuid()); err != nil {
		return 0, err
	}
	if errno != 0 {
		return 0, errno
	}
	return pid, nil
}

// become changes the thread's effective user; its real and its saved one stay,
// so that it finds back.
func become(uid int) error {
	if _, _, errno := unix.RawSyscall(unix.SYS_SETRESUID, ^uintptr(0), uintptr(uid), ^uintptr(0)); errno != 0 {
		return errno
	}
	return nil
}

// forkInto makes a child in new namespaces that waits to be killed. It is a bare
// clone: the child has one thread, a copy of the memory, and runs nothing but
// system calls, so that the Go runtime, which cannot live through a fork, is not
// needed. An exec of a program would cost ten times as much.
//
//go:norace
//go:nosplit
func forkInto(flags uintptr) (int, unix.Errno) {
	pid, _, errno := unix.RawSyscall6(unix.SYS_CLONE, flags|uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
	if errno != 0 || pid != 0 {
		return int(pid), errno
	}
	// Dies with the launcher, whatever happens to it.
	unix.RawSyscall(unix.SYS_PRCTL, unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0)
	for {
		// No descriptors and no time-out: until killed.
		unix.RawSyscall6(unix.SYS_PPOLL, 0, 0, 0, 0, 0, 0)
	}
}
