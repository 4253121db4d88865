package session

import (
	"time"

	"cortex.dev/native/internal/fault"
	"cortex.dev/native/internal/ring"
	"cortex.dev/native/internal/wire"
)

// claimLasts is how long a session waits for its holder to come back, so that a restart of the
// host's daemon loses nothing.
const claimLasts = 30 * time.Second

// Attachment is one client at a session. Close must be called.
type Attachment struct {
	Reader  *ring.Reader
	Ack     wire.HandshakeAck
	session *Session
	holds   bool
	yield   func()
}

// Attach joins a client that has everything before the cursor. Another client that takes the hold
// makes the reader fail with BUSY and calls yield, which must not block: the client's socket should
// then not be waited for any longer.
func (s *Session) Attach(mode wire.Mode, cursor uint64, yield func()) (*Attachment, error) {
	a := &Attachment{session: s, holds: mode != wire.ModeObserve, yield: yield}
	s.mu.Lock()
	defer s.mu.Unlock()
	if a.holds && s.holder != nil && mode != wire.ModeTakeOver {
		return nil, fault.New(fault.Busy, "another client holds session %s", s.ID).
			WithRemedy("take the hold over, or observe")
	}
	reader, ok := s.ring.NewReader(cursor, a.holds)
	if !ok {
		_, newest, _ := s.ring.Bounds()
		return nil, fault.New(fault.InvalidArgument, "the cursor %d is ahead of the newest byte, %d", cursor, newest)
	}
	a.Reader = reader
	a.Ack.Oldest, a.Ack.Newest, _ = s.ring.Bounds()
	if !s.ended.IsZero() {
		a.Ack.State = wire.StateExited
	}
	if !a.holds {
		s.observers++
		if s.input != nil {
			a.Ack.StdinAccepted = s.input.count()
		}
		return a, nil
	}
	s.ring.Hold(reader)
	if old := s.holder; old != nil {
		old.Reader.Cancel(fault.New(fault.Busy, "another client took the hold of session %s over", s.ID))
		old.yield()
	}
	s.holder = a
	s.endClaim()
	if s.input != nil {
		a.Ack.StdinAccepted = s.input.adopt(a)
	}
	return a, nil
}

// Write hands bytes to the process's standard input; it waits while the process does not take them.
func (a *Attachment) Write(p []byte) error {
	if err := a.mayWrite("write"); err != nil {
		return err
	}
	if a.session.input != nil {
		a.session.input.write(a, p)
	}
	return nil
}

// Full says whether Write would wait for the process; the caller should then watch its client.
func (a *Attachment) Full(bytes int) bool {
	return a.holds && a.session.input != nil && a.session.input.full(bytes)
}

// Abandon makes a waiting Write return: the client has gone.
func (a *Attachment) Abandon() {
	if a.session.input != nil {
		a.session.input.leave(a)
	}
}

// CloseInput ends the process's standard input behind what was written.
func (a *Attachment) CloseInput() error {
	if err := a.mayWrite("close the input"); err != nil {
		return err
	}
	if a.session.input != nil {
		a.session.input.finish(a)
	}
	return nil
}

// Resize gives the terminal another size; a session with pipes has none, and nothing happens.
func (a *Attachment) Resize(size Size) error {
	if err := a.mayWrite("resize"); err != nil {
		return err
	}
	if a.session.terminal != nil && size.Rows > 0 && size.Columns > 0 {
		// A terminal that is just being closed has no size any more.
		_ = a.session.terminal.resize(size)
	}
	return nil
}

func (a *Attachment) mayWrite(what string) error {
	if a.holds {
		return nil
	}
	return fault.New(fault.Denied, "an observer may not %s", what).WithRemedy("attach with the hold")
}

// Close leaves the session. A holder's claim lives on for a while.
func (a *Attachment) Close() {
	s := a.session
	a.Abandon()
	s.mu.Lock()
	defer s.mu.Unlock()
	a.Reader.Close()
	if !a.holds {
		s.observers--
		return
	}
	if s.holder != a {
		return
	}
	s.holder = nil
	if !s.ended.IsZero() {
		s.ring.Release()
		return
	}
	s.beginClaim()
}

// beginClaim makes the process wait for a holder for a while. The caller has the lock.
func (s *Session) beginClaim() {
	s.endClaim()
	over := false
	stop := s.table.clock.AfterFunc(claimLasts, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if !over {
			s.stopClaim = nil
			s.ring.Release()
		}
	})
	s.stopClaim = func() {
		over = true
		stop()
	}
}

func (s *Session) endClaim() {
	if s.stopClaim != nil {
		s.stopClaim()
		s.stopClaim = nil
	}
}
