// Package seal makes the mark of a session's processes permanent: what they start
// with in RLIMIT_LOCKS they cannot change. Setting that limit seems to work for
// them, so that a shell's "ulimit" does not fail, and has no effect.
//
// The filter that the runtime installs cannot do this, because the neuron lives
// under it as well and sets the marks. A filter belongs to a thread and to what
// that thread starts: one thread of the neuron is sealed, and starts all sessions;
// the others still set marks. It costs a session's start nothing.
package seal

import (
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

const rlimitLocks = 10

// Offsets in struct seccomp_data of linux/seccomp.h; the low halves come first on
// the architectures here, which are little-endian.
const (
	offsetNumber = 0
	offsetArch   = 4
	offsetArgs   = 16
)

// Starter runs functions on a sealed thread.
type Starter struct{ work chan func() }

// New makes the thread. Where filters cannot be installed (without privileges and
// without no-new-privileges: the driver process) the thread is not sealed, and
// sealed is false.
func New() (starter *Starter, sealed bool) {
	starter = &Starter{work: make(chan func())}
	made := make(chan error)
	go func() {
		// Never unlocked: the thread is of no other use.
		runtime.LockOSThread()
		made <- install()
		for run := range starter.work {
			run()
		}
	}()
	return starter, <-made == nil
}

// Do runs something on the thread and waits for it. Calls go one by one.
func (s *Starter) Do(run func()) {
	done := make(chan struct{})
	s.work <- func() { defer close(done); run() }
	<-done
}

func install() error {
	program := filter()
	fprog := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	_, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&fprog)))
	runtime.KeepAlive(program)
	if errno != 0 {
		return fmt.Errorf("installing the filter of marks: %w", errno)
	}
	return nil
}

// filter compares the low half of the resource only: the kernel ignores the rest
// of the register.
func filter() []unix.SockFilter {
	const pass, success = unix.SECCOMP_RET_ALLOW, unix.SECCOMP_RET_ERRNO // errno 0: it seems to have worked
	load := func(offset uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
	}
	equal := func(value uint32, yes, no uint8) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: value, Jt: yes, Jf: no}
	}
	answer := func(value uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: value}
	}
	return []unix.SockFilter{
		load(offsetArch),
		equal(architecture, 0, 12), // another architecture's numbers: the runtime's filter refuses them
		load(offsetNumber),
		equal(unix.SYS_SETRLIMIT, 0, 2),
		load(offsetArgs), // setrlimit(resource, …)
		equal(rlimitLocks, 7, 8),
		equal(unix.SYS_PRLIMIT64, 0, 7),
		load(offsetArgs + 8), // prlimit64(pid, resource, new, old)
		equal(rlimitLocks, 0, 5),
		load(offsetArgs + 16), // new: a pointer, set if either half is
		equal(0, 0, 2),
		load(offsetArgs + 20),
		equal(0, 1, 0),
		answer(success),
		answer(pass),
	}
}
