// Package seal makes the mark of a session's processes permanent: what they start
// with in the limit that carries it they cannot change. Setting that limit seems to work for
// them, so that a shell's "ulimit" does not fail, and has no effect.
//
// The filter that the runtime installs cannot do this, because the neuron lives
// under it as well and sets the marks. A filter belongs to a thread and to what
// that thread starts: one thread of the neuron is sealed, and starts all sessions;
// the others still set marks. It costs a session's start nothing. The neuron's short
// slices of time end at that thread too.
package seal

import (
	"fmt"
	"runtime"
	"unsafe"

	"cortex.dev/native/internal/turns"
	"golang.org/x/sys/unix"
)

// Offsets in struct seccomp_data of linux/seccomp.h; the low halves come first on
// the architectures here, which are little-endian.
const (
	offsetNumber = 0
	offsetArch   = 4
	offsetArgs   = 16
)

// Starter runs functions on a sealed thread.
type Starter struct{ work chan func() }

// Scope is what the processes of a thread cannot change.
type Scope int

const (
	// Marks are in every session.
	Marks Scope = iota
	// MarksAndPriorities is for root inside, which has the neuron's own user id: without it, it could give the neuron's
	// threads the lowest priority or one busy processor, and nobody inside could take that back. It changes those of the
	// calling thread alone.
	MarksAndPriorities
	// MarksPrioritiesAndFirst is for root inside on a kernel, gVisor's, that lets a first process be killed by whoever has
	// its user id: it reaches no process 1.
	MarksPrioritiesAndFirst
)

// New makes the thread. Where filters cannot be installed (without privileges and
// without no-new-privileges: the driver process) the thread is not sealed, and
// sealed is false. carrier is the number of the limit.
func New(scope Scope, carrier int) (starter *Starter, sealed bool) {
	starter = &Starter{work: make(chan func())}
	made := make(chan error)
	go func() {
		// Never unlocked: the thread is of no other use.
		runtime.LockOSThread()
		turns.UsualForChildren()
		made <- install(filter(scope, uint32(carrier)))
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

func install(program []unix.SockFilter) error {
	fprog := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	_, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&fprog)))
	runtime.KeepAlive(program)
	if errno != 0 {
		return fmt.Errorf("installing the filter of marks: %w", errno)
	}
	return nil
}

const (
	pass    = unix.SECCOMP_RET_ALLOW
	success = unix.SECCOMP_RET_ERRNO // errno 0: it seems to have worked
	refuse  = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
)

// Values of linux/ioprio.h and sys/resource.h.
const (
	priorityOfProcess   = 0
	ioPriorityOfProcess = 1
)

// filter compares the low half of the arguments that the kernel reads as 32 bits: it ignores the
// rest of the register.
func filter(scope Scope, carrier uint32) []unix.SockFilter {
	program := []unix.SockFilter{
		load(offsetArch),
		equal(architecture, 1, 0),
		answer(pass), // another architecture's numbers: the runtime's filter refuses them
		load(offsetNumber),
	}
	program = append(program, on(unix.SYS_SETRLIMIT,
		load(offsetArgs), // setrlimit(resource, …)
		equal(carrier, 0, 1),
		answer(success),
		answer(pass),
	)...)
	program = append(program, on(unix.SYS_PRLIMIT64,
		load(offsetArgs+8), // prlimit64(pid, resource, new, old)
		equal(carrier, 0, 5),
		load(offsetArgs+16), // new: a pointer, set if either half is
		equal(0, 0, 2),
		load(offsetArgs+20),
		equal(0, 1, 0),
		answer(success),
		answer(pass),
	)...)
	if scope == MarksPrioritiesAndFirst {
		program = append(program, reachesNoFirst()...)
	}
	if scope >= MarksAndPriorities {
		program = append(program, ownOnly(unix.SYS_SETPRIORITY, priorityOfProcess)...)
		program = append(program, ownOnly(unix.SYS_IOPRIO_SET, ioPriorityOfProcess)...)
		for _, number := range []uint32{
			unix.SYS_SCHED_SETAFFINITY, unix.SYS_SCHED_SETATTR, unix.SYS_SCHED_SETPARAM, unix.SYS_SCHED_SETSCHEDULER,
		} {
			program = append(program, on(number,
				load(offsetArgs), // of which thread; 0: the calling one
				equal(0, 1, 0),
				answer(refuse),
				answer(pass),
			)...)
		}
	}
	return append(program, answer(pass))
}

// setSignal is F_SETSIG of fcntl: it has any signal sent to any process, once that process owns a descriptor.
const setSignal = 10

// reachesNoFirst refuses signals to process 1. Threads are named without their process in one old call, and descriptors of
// processes are opaque: both are refused whole.
func reachesNoFirst() (program []unix.SockFilter) {
	forbidden := func(number, argument, value uint32) {
		program = append(program, on(number,
			load(offsetArgs+8*argument),
			equal(value, 0, 1),
			answer(refuse),
			answer(pass),
		)...)
	}
	for _, number := range []uint32{unix.SYS_KILL, unix.SYS_TGKILL, unix.SYS_RT_SIGQUEUEINFO, unix.SYS_RT_TGSIGQUEUEINFO} {
		forbidden(number, 0, 1)
	}
	forbidden(unix.SYS_FCNTL, 1, setSignal)
	for _, number := range []uint32{unix.SYS_TKILL, unix.SYS_PIDFD_SEND_SIGNAL} {
		program = append(program, on(number, answer(refuse))...)
	}
	return program
}

// ownOnly lets a call (which kind, which one, …) through for the calling thread.
func ownOnly(number, process uint32) []unix.SockFilter {
	return on(number,
		load(offsetArgs),
		equal(process, 0, 2),
		load(offsetArgs+8),
		equal(0, 1, 0),
		answer(refuse),
		answer(pass),
	)
}

// on is what is done about one system call, whose number is loaded; it ends with an answer.
func on(number uint32, then ...unix.SockFilter) []unix.SockFilter {
	return append([]unix.SockFilter{equal(number, 0, uint8(len(then)))}, then...)
}

func load(offset uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
}

func equal(value uint32, yes, no uint8) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: value, Jt: yes, Jf: no}
}

func answer(value uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: value}
}
