package control

import "context"

// diskCallsMost work on files at once. Each may block a thread, and of the processes that are kept
// for the neuron (boot: 32) its threads are a part: under a full process limit a further thread
// would be its end.
const diskCallsMost = 10

// Slots bounds how many calls block threads on the disk at once.
type Slots struct{ free chan struct{} }

func newSlots() *Slots { return &Slots{make(chan struct{}, diskCallsMost)} }

// Take waits for a slot, or returns the context's error.
func (s *Slots) Take(ctx context.Context) error {
	select {
	case s.free <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Without runs what does not touch the disk while the caller's slot is free for others.
func (s *Slots) Without(run func()) {
	s.Give()
	defer func() { s.free <- struct{}{} }()
	run()
}

// Give gives a slot back.
func (s *Slots) Give() { <-s.free }
