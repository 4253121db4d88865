// Package boot is the neuron's own life: what it needs as first process of a sandbox, and what
// Initialize sets of the system around it.
package boot

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"

	"syscall"

	"cortex.dev/native/internal/turns"
	"cortex.dev/native/internal/users"
	"golang.org/x/sys/unix"
)

const (
	// processors is how many threads run Go code at once. Bytes are moved by the kernel; two relay
	// as much as more do.
	processors = 2
	// memoryBesideRings is where the garbage collector starts to work harder, beside what the rings may
	// take.
	memoryBesideRings = 32 << 20
	// processesKept of the sandbox's limit are for the neuron, whose threads count as processes.
	processesKept = 32
	runFolder     = "/run/cortex"
)

// Machine is the system that the neuron finds itself in.
type Machine struct {
	Users  users.Database
	plain  bool
	memory *Memory
	groups *Groups // nil where the host's hold the limits
}

// ClearSignalMask starts this program anew where it inherited blocked signals (a JVM's children do):
// the sessions would inherit them too, and Go offers no other way to start a child without.
func ClearSignalMask() error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var blocked, none unix.Sigset_t
	if err := unix.PthreadSigmask(unix.SIG_SETMASK, nil, &blocked); err != nil {
		return fmt.Errorf("read the signal mask: %w", err)
	}
	if blocked == none {
		return nil
	}
	if err := unix.PthreadSigmask(unix.SIG_SETMASK, &none, nil); err != nil {
		return fmt.Errorf("clear the signal mask: %w", err)
	}
	return fmt.Errorf("start anew: %w", syscall.Exec("/proc/self/exe", os.Args, os.Environ()))
}

// Enter prepares this process. A plain neuron is a child on somebody's machine and touches nothing
// of it; else it is the first process of a sandbox of its own. limits are set where the sandbox has a
// kernel of its own. children gets a value on each
// SIGCHLD; terminated gets SIGTERM and SIGINT.
func Enter(plain bool, limits *Limits) (m *Machine, children <-chan struct{}, terminated <-chan os.Signal, err error) {
	debug.SetGCPercent(50)
	runtime.GOMAXPROCS(min(processors, runtime.NumCPU()))
	unix.Umask(0o022)
	if children, terminated, err = catchSignals(); err != nil {
		return nil, nil, nil, err
	}
	if err := closeOnExec(); err != nil {
		return nil, nil, nil, err
	}
	// Before the other threads, which get it from these.
	turns.Short()
	if os.Getpid() != 1 {
		if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
			return nil, nil, nil, fmt.Errorf("become the reaper of all descendants: %w", err)
		}
	}
	makeThreads(threadsAhead)
	go trimThreads()
	var groups *Groups
	if limits != nil {
		if groups, err = makeGroups(*limits); err != nil {
			return nil, nil, nil, err
		}
	}
	m = &Machine{Users: users.System, plain: plain, memory: findMemory(plain, groups != nil), groups: groups}
	if !plain {
		raiseLoopback()
		limitProcesses()
		if os.Geteuid() == 0 {
			if err := guardLimits(); err != nil {
				return nil, nil, nil, err
			}
		}
		_ = os.MkdirAll(runFolder, 0o755)
	}
	return m, children, terminated, nil
}

// closeOnExec marks what this process inherited; the listener is duplicated before it is used.
func closeOnExec() error {
	err := unix.CloseRange(3, ^uint(0)>>1, unix.CLOSE_RANGE_CLOEXEC)
	if err == nil {
		return nil
	}
	entries, readErr := os.ReadDir("/proc/self/fd")
	if readErr != nil {
		return fmt.Errorf("mark descriptors as closed on exec: %w", err)
	}
	for _, entry := range entries {
		if fd, err := strconv.Atoi(entry.Name()); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
	return nil
}

// raiseLoopback brings lo up where the neuron may; a sandbox without it still works.
func raiseLoopback() {
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return
	}
	defer unix.Close(socket)
	request, err := unix.NewIfreq("lo")
	if err != nil {
		return
	}
	if unix.IoctlIfreq(socket, unix.SIOCGIFFLAGS, request) != nil || request.Uint16()&unix.IFF_UP != 0 {
		return
	}
	request.SetUint16(request.Uint16() | unix.IFF_UP)
	_ = unix.IoctlIfreq(socket, unix.SIOCSIFFLAGS, request)
}

// Seal keeps what runs as the same user from reading or tracing the neuron, which knows the token.
// Afterwards the neuron's own files in /proc belong to root: what is needed of them is opened before.
func (m *Machine) Seal() error {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("become untraceable: %w", err)
	}
	return nil
}

// limitProcesses keeps some of the sandbox's processes for the neuron: no other user, and no root
// without its capabilities, can take them all.
func limitProcesses() {
	most := processLimit()
	if most <= 2*processesKept {
		return
	}
	var now unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NPROC, &now) != nil || now.Max <= most-processesKept {
		return
	}
	_ = unix.Setrlimit(unix.RLIMIT_NPROC, &unix.Rlimit{Cur: most - processesKept, Max: most - processesKept})
}

// processLimit is the pids limit of the sandbox's control group, 0 where none is seen.
func processLimit() uint64 {
	for _, path := range []string{"/sys/fs/cgroup/pids.max", "/sys/fs/cgroup/pids/pids.max"} {
		if n := number(path); n > 0 {
			return n
		}
	}
	return 0
}

// Groups are those of the sandbox's own kernel, or nil.
func (m *Machine) Groups() *Groups { return m.groups }

// SwitchesUsers says whether sessions run as users of their own.
func (m *Machine) SwitchesUsers() bool { return !m.plain && os.Geteuid() == 0 }

// Self is the neuron's own user.
func (m *Machine) Self() (users.User, error) {
	u, err := m.Users.FindID(uint32(os.Getuid()))
	if err != nil {
		return users.User{}, err
	}
	u.UID, u.GID = uint32(os.Getuid()), uint32(os.Getgid())
	return u, nil
}

// AllowRings tells the garbage collector what all rings may take, in bytes.
func (m *Machine) AllowRings(bytes int) { debug.SetMemoryLimit(int64(bytes) + memoryBesideRings) }

// Memory is the sandbox's memory.
func (m *Machine) Memory() *Memory { return m.memory }
