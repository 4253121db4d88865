package session

import (
	"fmt"
	"os"
	"syscall"
	"time"

	"cortex.dev/native/internal/fault"
	"cortex.dev/native/internal/guestpb"
	"cortex.dev/native/internal/wire"
	"golang.org/x/sys/unix"
)

// launch starts the session's process. A command that cannot be started makes a session that has
// ended; an error means that there is no session.
func (t *Table) launch(s *Session, r Request) error {
	c, env, err := t.config.prepare(r)
	if err != nil {
		return err
	}
	s.user = c.user.Name
	child, err := s.connect(r, c)
	if err != nil {
		return fault.Of(err, "prepare the session's streams")
	}
	defer child.close()
	try := func(path string, c command) (int, error) {
		return t.spawner.start(s.number, path, c, child.files[:], s.terminal != nil, t.config.SwitchUsers, s.mainEnded)
	}
	// The lock keeps mainEnded, which may come at once, behind what follows.
	s.mu.Lock()
	pid, refused, err := t.spawner.startFirst(s.number, c, env.get("PATH"), try)
	if refused != nil && refused.denied && !c.mayEnter() {
		err = fault.New(fault.Denied, "user %s may not enter the working directory %s", c.user.Name, c.directory).
			WithRemedy("name another directory, or start the command as another user")
	}
	if err != nil || refused != nil {
		s.mu.Unlock()
		s.disconnect()
		if err != nil {
			return c.explain(err)
		}
		s.refuse(c, refused)
		return nil
	}
	s.pid = pid
	if r.Claim {
		s.ring.Claim()
		s.beginClaim()
	}
	if r.TimeoutMillis > 0 {
		s.stopTimer = t.clock.AfterFunc(milliseconds(r.TimeoutMillis), func() {
			_, _ = s.kill(guestpb.ExitCause_EXIT_CAUSE_TIMEOUT)
		})
	}
	for _, o := range s.outputs {
		go o.pump()
	}
	s.mu.Unlock()
	return nil
}

// milliseconds is a duration without overflow.
func milliseconds(n uint64) time.Duration {
	return time.Duration(min(n, uint64(1<<62/time.Millisecond))) * time.Millisecond
}

// explain gives an error of the start its place in the family.
func (c command) explain(err error) error {
	f := fault.Of(err, "start the command")
	if f.Code == fault.Capacity || f.Code == fault.OutOfMemory {
		f.Remedy = "end processes of the sandbox, or give it a higher limit"
	}
	return f
}

// refuse ends a session whose command never ran, with the words and the status of a shell.
func (s *Session) refuse(c command, why *refusal) {
	name := c.path
	if name == "" {
		name = c.argv[0]
	}
	line, tag := "cortex: "+name+": "+why.message+"\n", wire.TagStderr
	if s.terminal != nil {
		line, tag = "cortex: "+name+": "+why.message+"\r\n", wire.TagStdout
	}
	s.ring.Write(tag, []byte(line))
	cause := guestpb.ExitCause_EXIT_CAUSE_NOT_EXECUTABLE
	if why.code == 127 {
		cause = guestpb.ExitCause_EXIT_CAUSE_NOT_FOUND
	}
	s.mu.Lock()
	s.mainGone = true
	s.exit = Exit{cause, why.code}
	s.mu.Unlock()
	s.end()
}

// childEnds are the descriptors of the child, which the neuron closes once it is started.
type childEnds struct {
	files stdio
	owned []int
}

func (c *childEnds) close() {
	for _, fd := range c.owned {
		_ = unix.Close(fd)
	}
	c.owned = nil
}

// connect makes the session's streams and returns the child's ends of them.
func (s *Session) connect(r Request, c command) (ends *childEnds, err error) {
	ends = &childEnds{}
	defer func() {
		if err != nil {
			ends.close()
			s.disconnect()
		}
	}()
	if r.Terminal != nil {
		return ends, s.connectTerminal(r, c, ends)
	}
	if err := s.connectInput(r, c, ends); err != nil {
		return ends, err
	}
	for i, tag := range []wire.Tag{wire.TagStdout, wire.TagStderr} {
		read, write, err := pipe()
		if err != nil {
			return ends, err
		}
		ends.owned = append(ends.owned, write)
		ends.files[1+i] = uintptr(write)
		if err := s.give(write, c); err != nil {
			_ = unix.Close(read)
			return ends, err
		}
		if err := s.listen(read, tag); err != nil {
			return ends, err
		}
	}
	return ends, nil
}

func (s *Session) connectInput(r Request, c command, ends *childEnds) error {
	if !r.Stdin {
		null, err := unix.Open("/dev/null", unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if err != nil {
			return fmt.Errorf("open /dev/null: %w", err)
		}
		ends.owned = append(ends.owned, null)
		ends.files[0] = uintptr(null)
		return nil
	}
	read, write, err := pipe()
	if err != nil {
		return err
	}
	ends.owned = append(ends.owned, read)
	ends.files[0] = uintptr(read)
	if err := unix.SetNonblock(write, true); err != nil {
		_ = unix.Close(write)
		return fmt.Errorf("prepare a pipe: %w", err)
	}
	file := os.NewFile(uintptr(write), "stdin")
	if s.input, err = newInput(file, nil); err != nil {
		_ = file.Close()
		return err
	}
	return s.give(read, c)
}

func (s *Session) connectTerminal(r Request, c command, ends *childEnds) error {
	terminal, err := openTerminal(r.Terminal.Size, c.user.UID, s.table.config.SwitchUsers)
	if err != nil {
		return err
	}
	s.terminal = terminal
	slave := uintptr(terminal.slave)
	ends.files = stdio{slave, slave, slave}
	if s.input, err = newInput(terminal.master, terminal); err != nil {
		return err
	}
	o, err := newOutput(terminal.master, wire.TagStdout, s.ring, true, s.streams.Done)
	if err != nil {
		return err
	}
	s.streams.Add(1)
	s.outputs = append(s.outputs, o)
	return nil
}

// listen makes an output of the neuron's end of a pipe.
func (s *Session) listen(read int, tag wire.Tag) error {
	if err := unix.SetNonblock(read, true); err != nil {
		_ = unix.Close(read)
		return fmt.Errorf("prepare a pipe: %w", err)
	}
	file := os.NewFile(uintptr(read), "output")
	o, err := newOutput(file, tag, s.ring, false, s.streams.Done)
	if err != nil {
		_ = file.Close()
		return err
	}
	s.streams.Add(1)
	s.outputs = append(s.outputs, o)
	return nil
}

// give makes the user the owner of a pipe: without that, opening /dev/stdout is refused.
func (s *Session) give(fd int, c command) error {
	if !s.table.config.SwitchUsers {
		return nil
	}
	if err := unix.Fchown(fd, int(c.user.UID), int(c.user.GID)); err != nil && err != syscall.EPERM {
		return fmt.Errorf("give a pipe to its user: %w", err)
	}
	return nil
}

// disconnect closes the neuron's ends of a session that has no process.
func (s *Session) disconnect() {
	if s.input != nil {
		s.input.close()
	}
	if s.terminal != nil {
		s.terminal.close()
		return
	}
	for _, o := range s.outputs {
		_ = o.file.Close()
	}
}

func pipe() (read, write int, err error) {
	var fds [2]int
	if err := unix.Pipe2(fds[:], unix.O_CLOEXEC); err != nil {
		return 0, 0, fmt.Errorf("make a pipe: %w", err)
	}
	return fds[0], fds[1], nil
}
