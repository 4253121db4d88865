package process

import (
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// Handle holds one process: its pid cannot come to mean another one.
type Handle struct {
	Pid int
	fd  int
}

// Hold opens the process with this pid and start time, or ErrGone. A startTime
// of 0 takes whoever has the pid now.
func Hold(pid int, startTime uint64) (*Handle, error) {
	fd, err := unix.PidfdOpen(pid, 0)
	if errors.Is(err, unix.ESRCH) {
		return nil, ErrGone
	}
	if err != nil {
		return nil, fmt.Errorf("holding process %d: %w", pid, err)
	}
	handle := &Handle{Pid: pid, fd: fd}
	// Read after the descriptor was opened: if this agrees, so does the descriptor.
	stat, err := ReadStat(pid)
	if err == nil && (stat.Dead() || (startTime != 0 && stat.StartTime != startTime)) {
		err = ErrGone
	}
	if err != nil {
		handle.Close()
		return nil, err
	}
	return handle, nil
}

// Signal sends a signal; a process that has ended is no error.
func (h *Handle) Signal(signal unix.Signal) error {
	err := unix.PidfdSendSignal(h.fd, signal, nil, 0)
	if err != nil && !errors.Is(err, unix.ESRCH) {
		return fmt.Errorf("sending %v to process %d: %w", signal, h.Pid, err)
	}
	return nil
}

// Wait waits until the process has ended; false when the deadline came first.
func (h *Handle) Wait(deadline time.Time) (bool, error) {
	for {
		left := max(time.Until(deadline), 0)
		polled := []unix.PollFd{{Fd: int32(h.fd), Events: unix.POLLIN}}
		n, err := unix.Poll(polled, int((left+time.Millisecond-1)/time.Millisecond))
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return false, fmt.Errorf("waiting for process %d: %w", h.Pid, err)
		}
		return n == 1, nil
	}
}

// Close gives the descriptor back.
func (h *Handle) Close() { _ = unix.Close(h.fd) }
