// Package cleanup undoes what was acquired when a later step fails.
package cleanup

import (
	"errors"
	"fmt"
)

// Stack holds releases; the last one registered runs first. The zero value is
// ready. Not for concurrent use.
type Stack struct{ releases []release }

type release struct {
	what string
	run  func() error
}

// Push registers the release of something just acquired.
func (s *Stack) Push(what string, run func() error) {
	s.releases = append(s.releases, release{what, run})
}

// Keep forgets all releases: what was acquired has a new owner.
func (s *Stack) Keep() { s.releases = nil }

// Run releases everything once and joins what went wrong.
func (s *Stack) Run() error {
	var failed []error
	for i := len(s.releases) - 1; i >= 0; i-- {
		if err := s.releases[i].run(); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", s.releases[i].what, err))
		}
	}
	s.releases = nil
	return errors.Join(failed...)
}
