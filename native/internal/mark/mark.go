// Package mark finds every descendant of a session, wherever it went.
//
// A session's first process is started with a number in the soft value of a limit that nothing
// enforces, RLIMIT_LOCKS where it can be set. Children inherit it over fork, exec, setsid and a lost
// parent, and in a sandbox nothing else changes it (seccomp refuses that). ADR 0002 compares this
// with the other ways.
package mark

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// limit is a resource limit that can carry marks: nothing enforces its soft value.
type limit struct {
	// resource is its number in asm-generic/resource.h, the same on every architecture of Go.
	resource int
	// line begins the one about it in /proc/PID/limits.
	line string
}

// carriers are tried in this order. Linux has not looked at RLIMIT_LOCKS since 2.4.25. gVisor
// refuses to set that one, but lets RLIMIT_RTPRIO be set and has no priorities of real time.
var carriers = []limit{{10, "Max file locks"}, {unix.RLIMIT_RTPRIO, "Max realtime priority"}}

// sessionBits is the width of a session's number within a mark; the sandbox's stands above it.
const sessionBits = 22

// NumberMost is the highest number of a session.
const NumberMost = 1<<sessionBits - 1

// Marker sets marks on children. Starting them goes one by one.
type Marker struct {
	sandbox uint64
	limit   limit
	user    atomic.Pointer[owner]
	mu      sync.Mutex
	base    unix.Rlimit
}

// NewMarker sets this process's own mark, which no session has. It fails where no hard limit
// leaves room for the sandbox's number.
func NewMarker(sandbox uint64) (*Marker, error) {
	if sandbox >= 1<<(63-sessionBits) {
		return nil, fmt.Errorf("the sandbox's mark %d is too large", sandbox)
	}
	var failed error
	for _, carrier := range carriers {
		m := &Marker{sandbox: sandbox, limit: carrier}
		err := m.begin()
		if err == nil {
			return m, nil
		}
		failed = errors.Join(failed, err)
	}
	return nil, failed
}

func (m *Marker) begin() error {
	if err := unix.Getrlimit(m.limit.resource, &m.base); err != nil {
		return fmt.Errorf("get the limit %d: %w", m.limit.resource, err)
	}
	m.base.Cur = m.Of(0)
	if m.base.Max <= m.Of(NumberMost) {
		return fmt.Errorf("the hard limit %d of %d leaves no room for marks", m.limit.resource, m.base.Max)
	}
	if err := unix.Setrlimit(m.limit.resource, &m.base); err != nil {
		return fmt.Errorf("set the limit %d: %w", m.limit.resource, err)
	}
	return nil
}

// Resource is the number of the limit that carries the marks.
func (m *Marker) Resource() int { return m.limit.resource }

// Of is the mark of a session's processes.
func (m *Marker) Of(number uint32) uint64 { return m.sandbox<<sessionBits | uint64(number) }

// Do runs start while this process bears the session's mark, so that a child made in it has the
// mark from its first instruction on.
func (m *Marker) Do(number uint32, start func() error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	marked := m.base
	marked.Cur = m.Of(number)
	if err := unix.Setrlimit(m.limit.resource, &marked); err != nil {
		return fmt.Errorf("set the mark: %w", err)
	}
	defer func() { _ = unix.Setrlimit(m.limit.resource, &m.base) }()
	return start()
}
