// Package session starts processes, keeps their latest output and their exit status, and ends them
// with all their descendants.
package session

import (
	"sync"
	"syscall"
	"time"

	"cortex.dev/native/internal/guestpb"
	"cortex.dev/native/internal/reap"
	"cortex.dev/native/internal/ring"
	"golang.org/x/sys/unix"
)

// argvShown is how much of argv a session tells, in bytes.
const argvShown = 4 << 10

// Exit is the end of a session.
type Exit struct {
	Cause guestpb.ExitCause
	Code  int32
}

// Session is one process with its output. Its methods may be called by any goroutine.
type Session struct {
	ID         string
	table      *Table
	number     uint32
	argv       [][]byte
	user       string
	background bool
	label      string
	ring       *ring.Ring
	terminal   *pseudoTerminal // nil for pipes
	input      *input          // nil for /dev/null
	outputs    []*output
	streams    sync.WaitGroup // outputs that are not complete

	// ending is held while all processes are being killed: the session ends only after that, also
	// when its main process was the first to die. It is taken before mu.
	ending sync.Mutex

	launched chan struct{} // closed when the start has succeeded or failed
	failure  error         // of the start; read it after launched
	done     chan struct{} // closed at the end

	mu        sync.Mutex
	pid       int
	started   time.Time
	ended     time.Time
	mainGone  bool // the main process has ended; the session's end follows the drain
	killing   guestpb.ExitCause
	exit      Exit
	holder    *Attachment
	observers uint32
	stopClaim func() // nil while no claim runs
	stopTimer func() // of the timeout; nil without
}

// Done is closed when the session has ended and its exit is final.
func (s *Session) Done() <-chan struct{} { return s.done }

// Exit is the session's end; it is final once Done is closed.
func (s *Session) Exit() Exit {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.exit
}

// Info describes the session as it is now. descendants is how many processes of it live.
func (s *Session) info(descendants int) *guestpb.SessionInfo {
	oldest, newest, evicted := s.ring.Bounds()
	s.mu.Lock()
	defer s.mu.Unlock()
	info := &guestpb.SessionInfo{
		Id: s.ID, Pid: uint32(s.pid), Argv: s.argv, User: s.user, Terminal: s.terminal != nil,
		Background: s.background, Label: s.label, StartedMs: s.started.UnixMilli(),
		Cause: s.exit.Cause, Code: s.exit.Code, Oldest: oldest, Newest: newest, Evicted: evicted,
		Held: s.holder != nil, Observers: s.observers,
	}
	if !s.ended.IsZero() {
		info.EndedMs = s.ended.UnixMilli()
		info.DescendantsLeft = uint64(descendants)
	}
	return info
}

// Signal sends a signal to the foreground group, or to every descendant, and returns how many
// processes or groups it reached.
func (s *Session) Signal(signal syscall.Signal, all bool) (int, error) {
	if all && signal == unix.SIGKILL {
		return s.killAll()
	}
	if all {
		return s.table.spawner.marker.Signal(s.number, signal)
	}
	s.mu.Lock()
	pid, gone := s.pid, s.mainGone
	s.mu.Unlock()
	if pid == 0 || gone {
		return 0, nil
	}
	group := pid
	if s.terminal != nil {
		if g, err := s.terminal.foreground(); err == nil && g > 0 {
			group = g
		}
	}
	switch err := s.table.spawner.reaper.Signal(pid, -group, signal); err {
	case nil:
		return 1, nil
	case syscall.ESRCH:
		return 0, nil
	default:
		return 0, err
	}
}

// killAll ends every process of the session, those that are still being made too, and returns how
// many there were.
func (s *Session) killAll() (int, error) {
	counts, err := s.table.spawner.marker.Counts()
	if err != nil {
		return 0, err
	}
	_, err = s.kill(guestpb.ExitCause_EXIT_CAUSE_UNSPECIFIED)
	return counts[s.number], err
}

// kill ends every process of the session and returns how many the kernel did not let die. A cause
// other than UNSPECIFIED becomes the session's, if this ended it.
func (s *Session) kill(cause guestpb.ExitCause) (int, error) {
	s.ending.Lock()
	defer s.ending.Unlock()
	s.mu.Lock()
	if !s.mainGone && cause != guestpb.ExitCause_EXIT_CAUSE_UNSPECIFIED {
		s.killing = cause
	}
	pid := s.pid
	s.mu.Unlock()
	// Most sessions are one process group, which the kernel stops at one stroke; what left the group
	// is then looked for without it running all the while.
	if pid != 0 {
		_ = s.table.spawner.reaper.Signal(pid, -pid, syscall.SIGSTOP)
	}
	return s.table.spawner.marker.Kill(s.number)
}

// mainEnded is called by the reaper and must not block.
func (s *Session) mainEnded(end reap.Ended) {
	s.mu.Lock()
	s.mainGone = true
	stop := s.stopTimer
	s.mu.Unlock()
	if stop != nil {
		stop()
	}
	s.ring.Hurry()
	if s.terminal != nil {
		s.terminal.closeSlave()
	}
	for _, o := range s.outputs {
		o.mainEnded()
	}
	go s.conclude(end)
}

// conclude waits for the drain and makes the end known, after the last byte.
func (s *Session) conclude(end reap.Ended) {
	s.streams.Wait()
	if s.input != nil {
		s.input.close()
	}
	s.ending.Lock()
	s.mu.Lock()
	s.exit = s.exitOf(end.Status)
	s.mu.Unlock()
	s.ending.Unlock()
	s.end()
}

func (s *Session) exitOf(status syscall.WaitStatus) Exit {
	if !status.Signaled() {
		return Exit{guestpb.ExitCause_EXIT_CAUSE_EXITED, int32(status.ExitStatus())}
	}
	signal := status.Signal()
	switch {
	case s.killing != guestpb.ExitCause_EXIT_CAUSE_UNSPECIFIED:
		return Exit{s.killing, int32(signal)}
	case signal == unix.SIGKILL && s.table.memory.Killed():
		return Exit{guestpb.ExitCause_EXIT_CAUSE_OUT_OF_MEMORY, int32(signal)}
	default:
		return Exit{guestpb.ExitCause_EXIT_CAUSE_SIGNALED, int32(signal)}
	}
}

// end publishes an exit that is already set.
func (s *Session) end() {
	s.mu.Lock()
	s.ended = s.table.clock.Now()
	s.mu.Unlock()
	s.ring.Finish()
	close(s.done)
	s.table.ended(s)
}
