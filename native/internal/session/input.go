package session

import (
	"os"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// queueMost bounds the standard input that a session keeps before its process takes it, in bytes.
// A client that sends more waits.
const queueMost = 256 << 10

// input is the way of bytes to a process's standard input. accepted counts the bytes that its pipe
// or terminal took; what is queued when another client takes over is dropped, because that client
// sends on from accepted.
type input struct {
	raw      syscall.RawConn
	file     *os.File
	terminal *pseudoTerminal // nil for a pipe

	mu       sync.Mutex
	room     sync.Cond
	owner    *Attachment
	queue    []byte
	accepted uint64
	last     byte
	ending   bool // close behind the queue
	end      []byte
	writing  bool // a goroutine works on the queue
	closed   bool
}

func newInput(file *os.File, terminal *pseudoTerminal) (*input, error) {
	raw, err := file.SyscallConn()
	if err != nil {
		return nil, err
	}
	in := &input{raw: raw, file: file, terminal: terminal}
	in.room.L = &in.mu
	return in, nil
}

// adopt makes one attachment the only one whose bytes are taken, and returns the bytes accepted.
func (in *input) adopt(owner *Attachment) uint64 {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.owner = owner
	in.queue, in.ending, in.end = nil, false, nil
	in.room.Broadcast()
	return in.accepted
}

// write takes the bytes, and waits while too many are queued. It returns false when the owner has
// changed.
func (in *input) write(owner *Attachment, p []byte) bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	for len(in.queue)+len(p) > queueMost && in.owner == owner && !in.closed {
		in.room.Wait()
	}
	if in.owner != owner {
		return false
	}
	if in.closed || in.ending {
		return true
	}
	if len(in.queue) == 0 && !in.writing {
		p = in.direct(p)
	}
	if len(p) > 0 && !in.closed {
		in.queue = append(in.queue, p...)
		in.push()
	}
	return true
}

// direct hands over what the process takes at once, without a copy, and returns the rest.
func (in *input) direct(p []byte) (rest []byte) {
	err := in.raw.Control(func(fd uintptr) {
		for len(p) > 0 {
			n, err := unix.Write(int(fd), p)
			if err == unix.EINTR {
				continue
			}
			if err == unix.EAGAIN {
				return
			}
			if err != nil {
				in.shut()
				return
			}
			in.took(p[:n])
			p = p[n:]
		}
	})
	if err != nil {
		in.shut()
	}
	return p
}

// took counts bytes that the process's pipe or terminal has taken.
func (in *input) took(p []byte) {
	in.accepted += uint64(len(p))
	in.last = p[len(p)-1]
}

// leave makes the owner's waiting writes return; what is queued is still delivered.
func (in *input) leave(owner *Attachment) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.owner == owner {
		in.owner = nil
		in.room.Broadcast()
	}
}

// full says whether a write of so many bytes would wait.
func (in *input) full(bytes int) bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	return len(in.queue)+bytes > queueMost && !in.closed
}

// finish closes the input behind what is queued; a terminal gets its end-of-input character.
func (in *input) finish(owner *Attachment) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.owner != owner || in.closed || in.ending {
		return
	}
	in.ending = true
	in.push()
}

// close ends the input at once: the process is gone.
func (in *input) close() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.shut()
}

func (in *input) shut() {
	if in.closed {
		return
	}
	in.closed = true
	in.queue = nil
	in.room.Broadcast()
	if in.terminal == nil {
		// Close waits for the calls on the file to return, and this may be within one.
		go in.file.Close()
	}
}

// push starts the goroutine that works on the queue, unless the bytes go at once.
func (in *input) push() {
	if in.writing || in.step() {
		return
	}
	in.writing = true
	go in.work()
}

func (in *input) work() {
	err := in.raw.Write(func(fd uintptr) bool {
		in.mu.Lock()
		defer in.mu.Unlock()
		done := in.stepOn(int(fd))
		if done {
			in.writing = false
		}
		return done
	})
	if err != nil {
		in.mu.Lock()
		defer in.mu.Unlock()
		in.writing = false
		in.shut()
	}
}

func (in *input) step() (done bool) {
	if err := in.raw.Control(func(fd uintptr) { done = in.stepOn(int(fd)) }); err != nil {
		in.shut()
		return true
	}
	return done
}

// stepOn writes what goes without waiting and returns whether nothing is left to be done.
func (in *input) stepOn(fd int) bool {
	for len(in.queue) > 0 && !in.closed {
		n, err := unix.Write(fd, in.queue)
		if err == unix.EINTR {
			continue
		}
		if err == unix.EAGAIN {
			return false
		}
		if err != nil {
			in.shut()
			return true
		}
		in.took(in.queue[:n])
		in.queue = in.queue[n:]
		in.room.Broadcast()
	}
	if in.closed || !in.ending {
		in.queue = nil
		return true
	}
	if in.terminal == nil {
		in.shut()
		return true
	}
	return in.endTerminal(fd)
}

// endTerminal sends the end-of-input character. In the middle of a line it only hands the line
// over, so a second one is needed there.
func (in *input) endTerminal(fd int) bool {
	if in.end == nil {
		char, lines := in.terminal.endOfInput()
		in.end = []byte{char}
		if lines && in.accepted > 0 && in.last != '\n' && in.last != '\r' {
			in.end = []byte{char, char}
		}
	}
	for len(in.end) > 0 {
		n, err := unix.Write(fd, in.end)
		if err == unix.EINTR {
			continue
		}
		if err == unix.EAGAIN {
			return false
		}
		if err != nil {
			in.shut()
			return true
		}
		in.end = in.end[n:]
	}
	// More may follow: the end of input is no end of a terminal.
	in.ending, in.end, in.last = false, nil, '\n'
	return true
}

// count is how many bytes the process's pipe or terminal has taken.
func (in *input) count() uint64 {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.accepted
}
