package boot

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// lastSignal is the highest number that Linux has.
const lastSignal = 64

// catchSignals makes every signal harmless: the Go runtime would end the process on some, even
// where the kernel protects a first process.
func catchSignals() (children <-chan struct{}, terminated <-chan os.Signal, err error) {
	all := make(chan os.Signal, 64)
	signal.Notify(all)
	if err := catchRest(); err != nil {
		return nil, nil, err
	}
	ended := make(chan struct{}, 1)
	asked := make(chan os.Signal, 1)
	go func() {
		for s := range all {
			switch s {
			case syscall.SIGCHLD:
				select {
				case ended <- struct{}{}:
				default:
				}
			case syscall.SIGTERM, syscall.SIGINT:
				select {
				case asked <- s:
				default:
				}
			}
		}
	}()
	return ended, asked, nil
}

// action is the kernel's struct sigaction: handler, flags, restorer and mask, a word each.
type action [4]uintptr

// nothingAddress is where a handler lies that does nothing.
func nothingAddress() uintptr

// catchRest gives a handler to the signals that the Go runtime leaves alone (32 and 34, which C
// libraries use among threads). Without one they end a first process too: the kernel spares it only
// a signal that its main thread does not block, and every fork blocks all of them for a moment. A
// handler, since an ignored signal would be ignored by every session as well; one that is no Go,
// since the runtime's own ends the process on a signal that it did not ask for.
func catchRest() error {
	// The runtime's flags and its way back are right for any handler.
	var caught action
	if err := sigaction(syscall.SIGUSR1, nil, &caught); err != nil {
		return err
	}
	caught[0] = nothingAddress()
	for s := syscall.Signal(1); s <= lastSignal; s++ {
		if s == syscall.SIGKILL || s == syscall.SIGSTOP {
			continue
		}
		var now action
		if err := sigaction(s, nil, &now); err != nil {
			return err
		}
		if now[0] != 0 { // not SIG_DFL
			continue
		}
		if err := sigaction(s, &caught, nil); err != nil {
			return err
		}
	}
	return nil
}

func sigaction(s syscall.Signal, set, was *action) error {
	const maskSize = 8
	_, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(s),
		uintptr(unsafe.Pointer(set)), uintptr(unsafe.Pointer(was)), maskSize, 0, 0)
	if errno != 0 {
		return fmt.Errorf("the handler of signal %d: %w", s, errno)
	}
	return nil
}
