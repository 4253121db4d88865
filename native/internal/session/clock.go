package session

import "time"

// Clock is the time as sessions see it.
type Clock interface {
	Now() time.Time
	// AfterFunc calls f in a goroutine of its own once d has passed, unless stop was called before.
	AfterFunc(d time.Duration, f func()) (stop func())
}

// SystemClock is the machine's own time.
type SystemClock struct{}

// Now is the wall clock.
func (SystemClock) Now() time.Time { return time.Now() }

// AfterFunc uses the runtime's timers.
func (SystemClock) AfterFunc(d time.Duration, f func()) func() {
	t := time.AfterFunc(d, f)
	return func() { t.Stop() }
}
