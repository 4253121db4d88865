package start

import (
	"time"

	"cortex.dev/native/internal/launch"
)

// Clock measures the steps of a start.
type Clock struct {
	began, last time.Time
	timings     []launch.Timing
}

// NewClock begins at a moment that the caller took as early as it could.
func NewClock(began time.Time) *Clock { return &Clock{began: began, last: began} }

// step ends a step that began when the one before ended.
func (c *Clock) step(name string) {
	now := time.Now()
	c.timings = append(c.timings, launch.Timing{Step: name, Micros: now.Sub(c.last).Microseconds()})
	c.last = now
}

func (c *Clock) total() int64 { return time.Since(c.began).Microseconds() }
