package sudo

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"cortex.dev/native/internal/users"
	"cortex.dev/native/internal/version"
	"golang.org/x/sys/unix"
)

// helloWithin is how long the neuron may take to start a session, on a busy machine.
const helloWithin = 30 * time.Second

// Main is the program sudo: it returns the command's exit status, 128+n for a signal, and 1 where
// there is none.
func Main(arguments []string) int {
	o, err := parse(arguments)
	switch {
	case errors.Is(err, errUsage):
		fmt.Fprint(os.Stderr, usage)
		return statusFailed
	case err != nil:
		return fail(err)
	case o.help:
		fmt.Print(usage)
		return 0
	case o.version:
		fmt.Println("sudo of the sandbox's neuron", version.Build)
		return 0
	case o.forget && len(o.command) == 0 && !o.login && !o.shell:
		return 0
	}
	ended, err := run(o)
	if err != nil {
		return fail(err)
	}
	if ended.Message != "" {
		return fail(errors.New(ended.Message))
	}
	return ended.Status
}

func fail(err error) int {
	fmt.Fprintln(os.Stderr, "sudo:", err)
	return statusFailed
}

func run(o options) (Ended, error) {
	conn, err := knock()
	if err != nil {
		return Ended{}, err
	}
	defer conn.Close()
	ask := ask(o)
	if ask.Check {
		return check(conn, o, ask)
	}
	c := newClient(conn)
	defer c.leave()
	descriptors := c.streams(&ask)
	err = send(conn, kindAsk, ask, descriptors...)
	if ask.HasDirectory {
		_ = unix.Close(descriptors[0])
	}
	if err != nil {
		return Ended{}, err
	}
	if o.background {
		return c.untilStarted(), nil
	}
	return c.follow()
}

// knock connects and waits for a session.
func knock() (*net.UnixConn, error) {
	conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: Socket, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("this sandbox has no root sessions: %s", reason(err))
	}
	_ = conn.SetDeadline(time.Now().Add(helloWithin))
	f, err := receive(conn)
	if err != nil {
		_ = conn.Close()
		return nil, fmt.Errorf("no session was started: %w", err)
	}
	f.close()
	_ = conn.SetDeadline(time.Time{})
	if f.kind == kindHello {
		return conn, nil
	}
	_ = conn.Close()
	var refusal Refusal
	if err := f.into(&refusal); f.kind != kindRefusal || err != nil {
		return nil, errors.New("no session was started")
	}
	text := refusal.Code + ": " + refusal.Message
	if refusal.Remedy != "" {
		text += "\n  fix: " + refusal.Remedy
	}
	return nil, errors.New(text)
}

func reason(err error) string {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errno.Error()
	}
	return err.Error()
}

func ask(o options) Ask {
	a := Ask{
		User: o.user, Group: o.group, Login: o.login, Directory: o.directory, Keep: o.passed(os.Environ()),
		KeepsHome: o.keepAll && !o.setHome, Check: o.list || o.validate, Background: o.background, Umask: currentUmask(),
	}
	if a.Directory != "" {
		if absolute, err := filepath.Abs(a.Directory); err == nil {
			a.Directory = absolute
		}
	}
	if o.shell {
		a.Shell = os.Getenv("SHELL")
		if !filepath.IsAbs(a.Shell) {
			a.Shell = "/bin/sh"
		}
	}
	for _, word := range o.command {
		a.Argv = append(a.Argv, []byte(word))
	}
	for _, entry := range o.set {
		a.Set = append(a.Set, []byte(entry))
	}
	return a
}

func currentUmask() uint32 {
	mask := unix.Umask(0o077)
	unix.Umask(mask)
	return uint32(mask)
}

// check asks whether a command would be allowed, which it is for whom the door opens.
func check(conn *net.UnixConn, o options, ask Ask) (Ended, error) {
	if err := send(conn, kindAsk, ask); err != nil {
		return Ended{}, err
	}
	f, err := receive(conn)
	if err != nil {
		return Ended{}, fmt.Errorf("no answer: %w", err)
	}
	f.close()
	var ended Ended
	if err := f.into(&ended); err != nil || ended.Message != "" || o.validate {
		return ended, err
	}
	if len(o.command) > 0 {
		fmt.Println(strings.Join(o.command, " "))
		return ended, nil
	}
	name := "this user"
	if u, err := users.System.FindID(uint32(os.Getuid())); err == nil {
		name = u.Name
	}
	fmt.Printf("User %s may run the following commands in this sandbox:\n    (ALL : ALL) NOPASSWD: SETENV: ALL\n", name)
	return ended, nil
}

// client is the caller's side of one command.
type client struct {
	conn     *net.UnixConn
	terminal *terminal // nil: the command has the caller's streams themselves
	signals  chan os.Signal
	frames   chan frame
}

func newClient(conn *net.UnixConn) *client {
	c := &client{conn: conn, signals: make(chan os.Signal, 16), frames: make(chan frame)}
	signal.Notify(c.signals, unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGTERM, unix.SIGUSR1, unix.SIGUSR2,
		unix.SIGALRM, unix.SIGTSTP, unix.SIGCONT, unix.SIGWINCH)
	go c.read()
	return c
}

func (c *client) read() {
	defer close(c.frames)
	for {
		f, err := receive(c.conn)
		if err != nil {
			return
		}
		c.frames <- f
	}
}

func (c *client) leave() {
	if c.terminal != nil {
		c.terminal.restore()
	}
}

// streams fills in what an ask says of the caller's streams, and returns what goes with it.
func (c *client) streams(a *Ask) (descriptors []int) {
	if here, err := unix.Open(".", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0); err == nil {
		a.HasDirectory = true
		descriptors = append(descriptors, here)
	}
	for fd := range a.Streams {
		settings, err := unix.IoctlGetTermios(fd, unix.TCGETS)
		// A relay ends with this process, which does not stay: the command has the terminal itself then.
		if err == nil && c.terminal == nil && !a.Background {
			c.terminal = openTerminal(settings)
		}
		a.Streams[fd] = err == nil && c.terminal != nil
		if !a.Streams[fd] {
			descriptors = append(descriptors, fd)
		}
	}
	if c.terminal != nil {
		a.Terminal = true
		a.Settings = c.terminal.settings
		if size, err := c.terminal.size(); err == nil {
			a.Rows, a.Cols, a.XPix, a.YPix = size.Row, size.Col, size.Xpixel, size.Ypixel
		}
	}
	return descriptors
}

// untilStarted leaves a command to itself once it runs; one that cannot run says so at once.
func (c *client) untilStarted() Ended {
	const soon = 200 * time.Millisecond
	signal.Ignore(unix.SIGHUP)
	select {
	case f, open := <-c.frames:
		var ended Ended
		if open && f.kind == kindEnded && f.into(&ended) == nil {
			return ended
		}
	case <-time.After(soon):
	}
	return Ended{}
}

// follow relays until the command has ended.
func (c *client) follow() (Ended, error) {
	for {
		select {
		case f, open := <-c.frames:
			if !open {
				return Ended{}, errors.New("the session was ended")
			}
			switch f.kind {
			case kindTerminal:
				if len(f.descriptors) != 1 || c.terminal == nil {
					f.close()
					return Ended{}, errors.New("the session gave no terminal")
				}
				c.terminal.begin(f.descriptors[0])
			case kindStopped:
				c.stop()
			case kindEnded:
				if c.terminal != nil {
					c.terminal.drain()
				}
				var ended Ended
				return ended, f.into(&ended)
			}
		case s := <-c.signals:
			c.pass(s.(unix.Signal))
		}
	}
}

func (c *client) pass(s unix.Signal) {
	if c.terminal != nil {
		switch s {
		case unix.SIGWINCH:
			c.terminal.resize()
			return
		case unix.SIGCONT:
			c.terminal.resume()
		}
	}
	if s != unix.SIGWINCH {
		_ = send(c.conn, kindSignal, []byte{byte(s)})
	}
}

// stop stops this process as its command was, and goes on with it.
func (c *client) stop() {
	if c.terminal != nil {
		c.terminal.suspend()
	}
	// SIGSTOP, which nobody catches: the shell sees this job stopped, whatever stopped the command.
	_ = unix.Kill(0, unix.SIGSTOP)
	// SIGCONT is among the signals, and resumes both.
}
