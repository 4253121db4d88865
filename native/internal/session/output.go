package session

import (
	"errors"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"cortex.dev/native/internal/ring"
	"cortex.dev/native/internal/wire"
	"golang.org/x/sys/unix"
)

// After the main process has ended, what its pipes hold is read to the end; a pipe that another
// process still holds is waited for this long, and while bytes keep coming this long at most.
const (
	drainQuiet = 10 * time.Millisecond
	drainMost  = 50 * time.Millisecond
	// lastSweep is read at most of a terminal, which cannot say how much it holds.
	lastSweep = 256 << 10
)

// output pumps one pipe, or the terminal, into the ring.
type output struct {
	file     *os.File
	raw      syscall.RawConn
	tag      wire.Tag
	ring     *ring.Ring
	terminal bool
	drained  func() // called once, when the session's output of this stream is complete
	until    atomic.Pointer[time.Time]
	any      bool
}

func newOutput(file *os.File, tag wire.Tag, r *ring.Ring, terminal bool, drained func()) (*output, error) {
	raw, err := file.SyscallConn()
	if err != nil {
		return nil, err
	}
	return &output{file: file, raw: raw, tag: tag, ring: r, terminal: terminal, drained: drained}, nil
}

// mainEnded makes the pump come to its end soon.
func (o *output) mainEnded() {
	now := time.Now()
	until := now.Add(drainMost)
	o.until.Store(&until)
	_ = o.file.SetReadDeadline(now.Add(drainQuiet))
}

// pump runs until every holder of the stream's other end is gone; the session does not wait for
// that.
func (o *output) pump() {
	whole := o.read()
	if !whole {
		o.sweep()
	}
	o.drained()
	if !whole {
		o.discard()
	}
	_ = o.file.Close()
}

// read keeps what comes, and returns true at the stream's end and false when the drain is over.
func (o *output) read() bool {
	for {
		if !o.ring.AwaitRoom() {
			return false
		}
		var n int
		var err error
		waited := o.raw.Read(func(fd uintptr) bool {
			if !o.any && !readable(int(fd)) {
				return false // no buffer for a stream on which nothing comes
			}
			o.any = true
			n, err = o.ring.Fill(o.tag, func(p []byte) (int, error) { return readNow(int(fd), p) })
			return err != unix.EAGAIN
		})
		switch {
		case errors.Is(waited, os.ErrDeadlineExceeded):
			return false
		case waited != nil:
			return true
		case err == ring.ErrNoRoom:
			continue
		case err != nil || n == 0:
			return true // a terminal without any other holder answers EIO
		}
		if until := o.until.Load(); until != nil {
			now := time.Now()
			if now.After(*until) {
				return false
			}
			_ = o.file.SetReadDeadline(earlier(now.Add(drainQuiet), *until))
		}
	}
}

// sweep takes what the stream holds at this moment, which is at least what it held when the main
// process ended.
func (o *output) sweep() {
	_ = o.file.SetReadDeadline(time.Time{})
	_ = o.raw.Read(func(fd uintptr) bool {
		left := lastSweep
		if !o.terminal {
			if held, err := unix.IoctlGetInt(int(fd), unix.TIOCINQ); err == nil {
				left = held
			}
		}
		for left > 0 {
			n, err := o.ring.Force(o.tag, func(p []byte) (int, error) { return readNow(int(fd), p[:min(len(p), left)]) })
			if err != nil || n == 0 {
				break
			}
			left -= n
		}
		return true
	})
}

// discard reads on without keeping, so that children which live on are not stopped by a full pipe.
func (o *output) discard() {
	var scrap [4 << 10]byte
	for {
		if n, err := o.file.Read(scrap[:]); n == 0 || err != nil {
			return
		}
	}
}

func readable(fd int) bool {
	fds := [1]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	n, err := unix.Poll(fds[:], 0)
	return n != 0 || err != nil
}

func readNow(fd int, p []byte) (int, error) {
	for {
		n, err := unix.Read(fd, p)
		if err != unix.EINTR {
			return n, err
		}
	}
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
