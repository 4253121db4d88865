// Package reap collects the children of this process: those that it started, and those that lost
// their parents and fell to it. There must be one Reaper in a process, and no os/exec beside it.
package reap

import (
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// Ended is how a process ended.
type Ended struct {
	Status syscall.WaitStatus
	Usage  syscall.Rusage
}

// Reaper knows who waits for which child. A child stays a zombie, so that its number belongs to
// nobody else, until the reaper's lock is held: Signal is safe from hitting a stranger.
type Reaper struct {
	mu      sync.Mutex
	waiting map[int]func(Ended)
	pokes   <-chan struct{}
}

// New makes a reaper that looks for dead children whenever pokes delivers; the caller sends there
// on each SIGCHLD. Run must be called.
func New(pokes <-chan struct{}) *Reaper {
	return &Reaper{waiting: map[int]func(Ended){}, pokes: pokes}
}

// Run collects children until pokes is closed.
func (r *Reaper) Run() {
	for range r.pokes {
		for r.collect() {
		}
	}
}

// Start runs start, which makes a child, and has ended called once when that child has ended, from
// the reaper's goroutine: it must not block. No child is collected between the two.
func (r *Reaper) Start(start func() (int, error), ended func(Ended)) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	pid, err := start()
	if err != nil {
		return 0, err
	}
	r.waiting[pid] = ended
	return pid, nil
}

// Signal sends a signal to a child that was started here, or to its group (negative pid), and
// answers ESRCH when the child has been collected.
func (r *Reaper) Signal(child, target int, signal syscall.Signal) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, alive := r.waiting[child]; !alive {
		return syscall.ESRCH
	}
	return syscall.Kill(target, signal)
}

// collect takes one dead child, and returns false when there is none.
func (r *Reaper) collect() bool {
	var info unix.Siginfo
	if err := retry(func() error {
		return unix.Waitid(unix.P_ALL, 0, &info, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
	}); err != nil {
		return false
	}
	pid := childOf(&info)
	if pid == 0 {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	var end Ended
	err := retry(func() error {
		_, err := syscall.Wait4(pid, &end.Status, syscall.WNOHANG, &end.Usage)
		return err
	})
	if ended, known := r.waiting[pid]; known && err == nil {
		delete(r.waiting, pid)
		ended(end)
	}
	return true
}

func retry(call func() error) error {
	for {
		if err := call(); err != syscall.EINTR {
			return err
		}
	}
}
