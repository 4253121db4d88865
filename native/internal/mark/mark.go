// Package mark finds every descendant of a session, wherever it went.
//
// A session's first process is started with a number in the soft value of RLIMIT_LOCKS, a limit
// that Linux has not looked at since 2.4.25. Children inherit it over fork, exec, setsid and a lost
// parent, and in a sandbox nothing else changes it (seccomp refuses that). ADR 0002 compares this
// with the other ways.
package mark

import (
	"fmt"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// rlimitLocks is RLIMIT_LOCKS of asm-generic/resource.h, the same on every architecture of Go.
const rlimitLocks = 10

// sessionBits is the width of a session's number within a mark; the sandbox's stands above it.
const sessionBits = 22

// NumberMost is the highest number of a session.
const NumberMost = 1<<sessionBits - 1

// Marker sets marks on children. Starting them goes one by one.
type Marker struct {
	sandbox uint64
	user    atomic.Pointer[owner]
	mu      sync.Mutex
	base    unix.Rlimit
}

// NewMarker sets this process's own mark, which no session has. It fails where the hard limit
// does not leave room for the sandbox's number.
func NewMarker(sandbox uint64) (*Marker, error) {
	m := &Marker{sandbox: sandbox}
	if sandbox >= 1<<(63-sessionBits) {
		return nil, fmt.Errorf("the sandbox's mark %d is too large", sandbox)
	}
	if err := unix.Getrlimit(rlimitLocks, &m.base); err != nil {
		return nil, fmt.Errorf("get RLIMIT_LOCKS: %w", err)
	}
	m.base.Cur = m.Of(0)
	if m.base.Max <= m.Of(NumberMost) {
		return nil, fmt.Errorf("the hard RLIMIT_LOCKS of %d leaves no room for marks", m.base.Max)
	}
	if err := unix.Setrlimit(rlimitLocks, &m.base); err != nil {
		return nil, fmt.Errorf("set RLIMIT_LOCKS: %w", err)
	}
	return m, nil
}

// Of is the mark of a session's processes.
func (m *Marker) Of(number uint32) uint64 { return m.sandbox<<sessionBits | uint64(number) }

// Do runs start while this process bears the session's mark, so that a child made in it has the
// mark from its first instruction on.
func (m *Marker) Do(number uint32, start func() error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	marked := m.base
	marked.Cur = m.Of(number)
	if err := unix.Setrlimit(rlimitLocks, &marked); err != nil {
		return fmt.Errorf("set RLIMIT_LOCKS: %w", err)
	}
	defer func() { _ = unix.Setrlimit(rlimitLocks, &m.base) }()
	return start()
}
