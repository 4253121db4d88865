package session

import (
	"context"
	"slices"
	"sync"
	"syscall"
	"time"

	"cortex.dev/native/internal/fault"
	"cortex.dev/native/internal/guestpb"
	"cortex.dev/native/internal/mark"
	"cortex.dev/native/internal/ring"
	"cortex.dev/native/internal/users"
)

// statusesKept is how many ended sessions are remembered.
const statusesKept = 1_000

// Config is what Initialize sets for all sessions.
type Config struct {
	Users       users.Database
	DefaultUser users.User
	SwitchUsers bool // false: every process has the neuron's own identity
	NoRoot      bool // no process becomes root
	// ProgramsFirst is a folder that comes first in PATH; empty: none.
	ProgramsFirst    string
	Environment      []string
	WorkingDirectory string
	RingBytes        int
	RingsBytes       int
	RunningMost      int
}

// MemoryWatch tells whether the sandbox's memory limit has killed something.
type MemoryWatch interface {
	// Killed returns true if there was such a death since the last call that returned true.
	Killed() bool
}

// Table holds the sessions of one sandbox, those that run and the last ones that ended.
type Table struct {
	config  Config
	spawner *Spawner
	budget  *ring.Budget
	clock   Clock
	memory  MemoryWatch

	mu      sync.Mutex
	byID    map[string]*Session
	order   []*Session // by start
	exited  []*Session // by end
	running int
	count   uint64
	number  uint32
	closed  bool
}

// NewTable makes an empty table.
func NewTable(config Config, spawner *Spawner, clock Clock, memory MemoryWatch) *Table {
	return &Table{
		config: config, spawner: spawner, clock: clock, memory: memory,
		budget: ring.NewBudget(config.RingBytes, config.RingsBytes),
		byID:   map[string]*Session{},
	}
}

// SetEnvironment replaces what later sessions have as their base.
func (t *Table) SetEnvironment(entries [][]byte) error {
	if err := ValidEnvironment(entries); err != nil {
		return err
	}
	environment := make([]string, 0, len(entries))
	for _, entry := range entries {
		environment = append(environment, string(entry))
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.config.Environment = environment
	return nil
}

// Exec starts a command, or returns the session that already has the request's id.
func (t *Table) Exec(r Request) (s *Session, already bool, err error) {
	if err := r.validate(); err != nil {
		return nil, false, err
	}
	s, already, err = t.admit(r)
	if err != nil {
		return nil, false, err
	}
	if already {
		<-s.launched
		return s, true, s.failure
	}
	if err := t.launch(s, r); err != nil {
		s.failure = err
		t.dismiss(s)
		close(s.launched)
		return nil, false, err
	}
	close(s.launched)
	return s, false, nil
}

// admit finds or makes the session of an id.
func (t *Table) admit(r Request) (*Session, bool, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s, exists := t.byID[r.ID]; exists {
		return s, true, nil
	}
	if t.closed {
		return nil, false, fault.New(fault.NotReady, "the sandbox is shutting down")
	}
	if t.running >= t.config.RunningMost {
		return nil, false, fault.New(fault.Capacity, "%d sessions run already", t.running).
			WithRemedy("end a session first")
	}
	memory, ok := t.budget.Admit()
	if !ok {
		return nil, false, fault.New(fault.Capacity, "the output of running sessions takes all its memory").
			WithRemedy("end or remove a session first")
	}
	t.number = t.number%mark.NumberMost + 1
	s := &Session{
		ID: r.ID, table: t, number: t.number, argv: head(r.Argv), background: r.Background, label: r.Label,
		ring: memory, launched: make(chan struct{}), done: make(chan struct{}), started: t.clock.Now(),
	}
	t.byID[r.ID] = s
	t.order = append(t.order, s)
	t.running++
	t.count++
	return s, false, nil
}

// dismiss takes back a session that never came to be.
func (t *Table) dismiss(s *Session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.running--
	t.count--
	t.forget(s)
}

func (t *Table) forget(s *Session) {
	delete(t.byID, s.ID)
	if at := slices.Index(t.order, s); at >= 0 {
		t.order = slices.Delete(t.order, at, at+1)
	}
	s.ring.Forget()
}

// ended keeps the status among the last ones.
func (t *Table) ended(s *Session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.running--
	t.exited = append(t.exited, s)
	if excess := len(t.exited) - statusesKept; excess > 0 {
		for _, old := range t.exited[:excess] {
			t.forget(old)
		}
		t.exited = slices.Delete(t.exited, 0, excess)
	}
}

func head(argv [][]byte) [][]byte {
	left := argvShown
	var shown [][]byte
	for _, argument := range argv {
		if left == 0 {
			break
		}
		n := min(left, len(argument))
		shown = append(shown, slices.Clone(argument[:n]))
		left -= n
	}
	return shown
}

// Find returns the session with the id.
func (t *Table) Find(id string) (*Session, error) {
	t.mu.Lock()
	s, exists := t.byID[id]
	t.mu.Unlock()
	if !exists {
		return nil, fault.New(fault.NotFound, "there is no session %q", id)
	}
	<-s.launched
	return s, s.failure
}

// Info describes a session, with the processes that outlived it.
func (t *Table) Info(s *Session) *guestpb.SessionInfo {
	descendants := 0
	select {
	case <-s.done:
		descendants = t.descendants()[s.number]
	default:
	}
	return s.info(descendants)
}

// List describes all sessions, those that were started first first.
func (t *Table) List() []*guestpb.SessionInfo {
	t.mu.Lock()
	sessions := slices.Clone(t.order)
	t.mu.Unlock()
	counts := t.descendants()
	list := make([]*guestpb.SessionInfo, 0, len(sessions))
	for _, s := range sessions {
		select {
		case <-s.launched:
			if s.failure == nil {
				list = append(list, s.info(counts[s.number]))
			}
		default:
		}
	}
	return list
}

// descendants counts the processes of each session; where /proc cannot be read there are none.
func (t *Table) descendants() map[uint32]int {
	counts, err := t.spawner.marker.Counts()
	if err != nil {
		return nil
	}
	return counts
}

// Wait returns when the session has ended, the time is over or the caller has gone.
func (t *Table) Wait(ctx context.Context, s *Session, most time.Duration) {
	over := make(chan struct{})
	stop := t.clock.AfterFunc(most, func() { close(over) })
	defer stop()
	select {
	case <-s.done:
	case <-over:
	case <-ctx.Done():
	}
}

// OwnerOf finds the session and the program that hold a socket, as far as it can by the deadline.
func (t *Table) OwnerOf(inode uint64, deadline time.Time) (id string, program []byte) {
	number, program, found := t.spawner.marker.Holder(inode, deadline)
	if !found {
		return "", nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range slices.Backward(t.order) {
		if s.number == number {
			return s.ID, program
		}
	}
	return "", program
}

// Remove kills what is left of a session and forgets its output.
func (t *Table) Remove(s *Session) error {
	left, err := s.kill(guestpb.ExitCause_EXIT_CAUSE_REMOVED)
	if err != nil {
		return err
	}
	if left > 0 {
		return fault.New(fault.Busy, "%d processes of session %s do not die", left, s.ID)
	}
	<-s.done
	s.ring.Forget()
	return nil
}

// Running is how many sessions run, Started how many were ever started.
func (t *Table) Running() (running int, started uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.running, t.count
}

// Shutdown ends every process of every session: TERM, then after the grace KILL. No session can be
// started any more.
func (t *Table) Shutdown(grace time.Duration) error {
	t.mu.Lock()
	t.closed = true
	sessions := slices.Clone(t.order)
	t.mu.Unlock()
	living := t.living(sessions)
	for _, s := range living {
		s.mu.Lock()
		if !s.mainGone {
			s.killing = guestpb.ExitCause_EXIT_CAUSE_REMOVED
		}
		s.mu.Unlock()
		if _, err := s.Signal(syscall.SIGTERM, true); err != nil {
			return err
		}
	}
	for deadline := time.Now().Add(grace); len(living) > 0 && time.Now().Before(deadline); {
		time.Sleep(min(10*time.Millisecond, grace))
		living = t.living(living)
	}
	for _, s := range living {
		if _, err := s.kill(guestpb.ExitCause_EXIT_CAUSE_REMOVED); err != nil {
			return err
		}
	}
	return nil
}

// living are those of the sessions that have a process.
func (t *Table) living(sessions []*Session) []*Session {
	counts := t.descendants()
	var living []*Session
	for _, s := range sessions {
		if counts[s.number] > 0 {
			living = append(living, s)
		}
	}
	return living
}
