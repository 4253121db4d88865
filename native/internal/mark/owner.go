package mark

import (
	"fmt"
	"runtime"

	"golang.org/x/sys/unix"
)

// owner is whose processes most sessions are.
type owner struct{ uid, gid uint32 }

// AskAs makes scans ask for the limits of this user's processes as that user, where the neuron
// runs as root without CAP_SYS_RESOURCE: a fork bomb of a thousand processes leaves the neuron so
// little of the processor that the slower way would not catch up with it.
func (m *Marker) AskAs(uid, gid uint32) { m.user.Store(&owner{uid, gid}) }

// scan runs work with a scanner, on a thread whose real user is the owner. The effective one, which
// decides about every other right, stays; and nobody can signal a first process's threads for that.
func (m *Marker) scan(work func(*scanner) error) error {
	s, err := newScanner(m.limit)
	if err != nil {
		return err
	}
	defer s.close()
	user := m.user.Load()
	if user == nil {
		return work(s)
	}
	done := make(chan error)
	go func() {
		runtime.LockOSThread()
		// A thread that does not get its user back ends with this goroutine.
		if setReal(user.uid, user.gid) == nil {
			defer func() {
				if setReal(0, 0) == nil {
					runtime.UnlockOSThread()
				}
			}()
		}
		done <- work(s)
	}()
	return <-done
}

// setReal changes this thread's real ids alone: the calls of package syscall change all threads'.
func setReal(uid, gid uint32) error {
	const leave = ^uintptr(0)
	if _, _, errno := unix.RawSyscall(unix.SYS_SETRESGID, uintptr(gid), leave, leave); errno != 0 {
		return fmt.Errorf("set the real group: %w", errno)
	}
	if _, _, errno := unix.RawSyscall(unix.SYS_SETRESUID, uintptr(uid), leave, leave); errno != 0 {
		return fmt.Errorf("set the real user: %w", errno)
	}
	return nil
}
