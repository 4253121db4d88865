package session

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// Terminal is what a request says of its terminal.
type Terminal struct {
	Term string
	Size Size
}

// Size of a terminal.
type Size struct{ Rows, Columns, XPixels, YPixels uint16 }

// The size that a terminal has until a client tells its own.
var defaultSize = Size{Rows: 24, Columns: 80}

// pseudoTerminal is a pair of which the neuron has the master. The neuron keeps the slave open too
// until the session's main process has ended, or a program that closes its terminal for a moment
// would end the reading.
type pseudoTerminal struct {
	master *os.File
	slave  int
}

// openTerminal makes a pair whose slave belongs to the user.
func openTerminal(size Size, uid uint32, chown bool) (*pseudoTerminal, error) {
	master, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("open /dev/ptmx: %w", err)
	}
	t := &pseudoTerminal{master: os.NewFile(uintptr(master), "terminal"), slave: -1}
	if err := t.unlockSlave(master); err != nil {
		t.close()
		return nil, err
	}
	if chown {
		if err := unix.Fchown(t.slave, int(uid), -1); err != nil {
			t.close()
			return nil, fmt.Errorf("give the terminal to its user: %w", err)
		}
	}
	if size.Rows == 0 || size.Columns == 0 {
		size = defaultSize
	}
	if err := t.resize(size); err != nil {
		t.close()
		return nil, err
	}
	return t, nil
}

func (t *pseudoTerminal) unlockSlave(master int) error {
	if err := unix.IoctlSetPointerInt(master, unix.TIOCSPTLCK, 0); err != nil {
		return fmt.Errorf("unlock the terminal: %w", err)
	}
	// TIOCGPTPEER needs no path: /dev/pts may be another instance than the master's.
	slave, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(master), unix.TIOCGPTPEER, unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC)
	if errno != 0 {
		return fmt.Errorf("open the terminal's other end: %w", errno)
	}
	t.slave = int(slave)
	settings, err := unix.IoctlGetTermios(t.slave, unix.TCGETS)
	if err != nil {
		return fmt.Errorf("read the terminal's settings: %w", err)
	}
	settings.Iflag |= unix.IUTF8
	if err := unix.IoctlSetTermios(t.slave, unix.TCSETS, settings); err != nil {
		return fmt.Errorf("set the terminal up: %w", err)
	}
	return nil
}

func (t *pseudoTerminal) resize(size Size) error {
	return t.control(func(fd int) error {
		return unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{
			Row: size.Rows, Col: size.Columns, Xpixel: size.XPixels, Ypixel: size.YPixels,
		})
	})
}

// foreground is the process group that the terminal's keys go to.
func (t *pseudoTerminal) foreground() (group int, err error) {
	err = t.control(func(fd int) error {
		group, err = unix.IoctlGetInt(fd, unix.TIOCGPGRP)
		return err
	})
	return group, err
}

// endOfInput is the character that ends the input of a program that reads lines, and whether the
// terminal is in that mode.
func (t *pseudoTerminal) endOfInput() (char byte, lines bool) {
	char = 4
	_ = t.control(func(fd int) error {
		settings, err := unix.IoctlGetTermios(fd, unix.TCGETS)
		if err != nil {
			return err
		}
		char, lines = settings.Cc[unix.VEOF], settings.Lflag&unix.ICANON != 0
		return nil
	})
	return char, lines
}

func (t *pseudoTerminal) control(do func(fd int) error) error {
	raw, err := t.master.SyscallConn()
	if err != nil {
		return fmt.Errorf("use the terminal: %w", err)
	}
	var done error
	if err := raw.Control(func(fd uintptr) { done = do(int(fd)) }); err != nil {
		return fmt.Errorf("use the terminal: %w", err)
	}
	return done
}

func (t *pseudoTerminal) closeSlave() {
	if t.slave >= 0 {
		_ = unix.Close(t.slave)
		t.slave = -1
	}
}

func (t *pseudoTerminal) close() {
	t.closeSlave()
	_ = t.master.Close()
}
