package sudo

import (
	"errors"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// drainTakes bounds the wait for the command's last bytes, where something else keeps its terminal
// open.
const drainTakes = 200 * time.Millisecond

// terminal is the caller's own, relayed to the command's.
type terminal struct {
	file     *os.File
	settings *unix.Termios // as they were
	master   *os.File      // nil until begin
	drained  chan struct{}

	mu      sync.Mutex
	changed *sync.Cond
	reads   bool // this process is in the foreground, and the settings are raw
}

// openTerminal returns nothing where the process has no controlling terminal.
func openTerminal(settings *unix.Termios) *terminal {
	file, err := os.OpenFile("/dev/tty", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return nil
	}
	t := &terminal{file: file, settings: settings, drained: make(chan struct{})}
	t.changed = sync.NewCond(&t.mu)
	return t
}

// begin relays to the command's terminal.
func (t *terminal) begin(master int) {
	_ = unix.SetNonblock(master, true)
	t.master = os.NewFile(uintptr(master), "master")
	go func() {
		defer close(t.drained)
		_, _ = io.Copy(plain{t.file}, plain{t.master})
	}()
	go t.input()
	t.resume()
}

// plain hides the other methods of a file, which io.Copy would use.
type plain struct{ io.ReadWriter }

func (t *terminal) input() {
	buffer := make([]byte, 4096)
	for {
		t.mu.Lock()
		for !t.reads {
			t.changed.Wait()
		}
		t.mu.Unlock()
		n, err := t.file.Read(buffer)
		if n > 0 {
			if _, err := t.master.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			return
		}
	}
}

// resume takes the terminal over where this process is in its foreground.
func (t *terminal) resume() {
	if t.master == nil || !t.foreground() {
		return
	}
	raw := *t.settings
	raw.Iflag &^= unix.IGNBRK | unix.BRKINT | unix.PARMRK | unix.ISTRIP | unix.INLCR | unix.IGNCR | unix.ICRNL | unix.IXON
	raw.Oflag &^= unix.OPOST
	raw.Lflag &^= unix.ECHO | unix.ECHONL | unix.ICANON | unix.ISIG | unix.IEXTEN
	raw.Cflag = raw.Cflag&^(unix.CSIZE|unix.PARENB) | unix.CS8
	raw.Cc[unix.VMIN], raw.Cc[unix.VTIME] = 1, 0
	t.set(&raw)
	t.resize()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.reads = true
	_ = t.file.SetReadDeadline(time.Time{})
	t.changed.Broadcast()
}

// suspend gives the terminal back.
func (t *terminal) suspend() {
	t.mu.Lock()
	was := t.reads
	t.reads = false
	// A read that is under way would stop this process once it is in the background.
	_ = t.file.SetReadDeadline(time.Unix(1, 0))
	t.mu.Unlock()
	if was {
		t.set(t.settings)
	}
}

func (t *terminal) restore() { t.suspend() }

func (t *terminal) foreground() (yes bool) {
	t.control(t.file, func(fd int) {
		group, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP)
		yes = err == nil && group == unix.Getpgrp()
	})
	return yes
}

func (t *terminal) set(settings *unix.Termios) {
	t.control(t.file, func(fd int) { _ = unix.IoctlSetTermios(fd, unix.TCSETSW, settings) })
}

func (t *terminal) size() (size *unix.Winsize, err error) {
	err = os.ErrClosed
	t.control(t.file, func(fd int) { size, err = unix.IoctlGetWinsize(fd, unix.TIOCGWINSZ) })
	return size, err
}

func (t *terminal) resize() {
	size, err := t.size()
	if err != nil || t.master == nil {
		return
	}
	t.control(t.master, func(fd int) { _ = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, size) })
}

func (t *terminal) control(file *os.File, do func(fd int)) {
	if raw, err := file.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { do(int(fd)) })
	}
}

// drain waits for the command's last bytes.
func (t *terminal) drain() {
	if t.master == nil {
		return
	}
	_ = t.master.SetReadDeadline(time.Now().Add(drainTakes))
	<-t.drained
}
