package egress

import (
	"errors"
	"testing"

	"cortex.dev/native/internal/fault"
	"cortex.dev/native/internal/wire"
)

// hook is a channel whose host says nothing.
type hook struct {
	written func(wire.Frame)
	cut     chan struct{}
}

func (h *hook) Next() (wire.Frame, error) {
	<-h.cut
	return nil, errors.New("cut")
}

func (h *hook) Write(f wire.Frame) error {
	h.written(f)
	return nil
}

func (h *hook) Cut() { close(h.cut) }

func channelOf(g *Gate) Channel {
	if h, _ := g.present(); h != nil {
		return h.channel
	}
	return nil
}

func TestAHostIsThePresentOneBeforeItsStreamIsAccepted(t *testing.T) {
	g := NewGate()
	older := &hook{cut: make(chan struct{})}
	newer := &hook{cut: make(chan struct{}), written: func(wire.Frame) {}}
	ended := make(chan error, 1)
	older.written = func(wire.Frame) {
		if channelOf(g) != Channel(older) {
			t.Error("the host is told that it is accepted, and is not present")
		}
		go func() { ended <- g.Serve(newer) }() // as the same host does next
	}
	var busy *fault.Error
	if err := g.Serve(older); !errors.As(err, &busy) || busy.Code != fault.Busy {
		t.Fatalf("the older stream ended with %v", err)
	}
	if channelOf(g) != Channel(newer) {
		t.Fatal("the newer stream is not the present one")
	}
	newer.Cut()
	if err := <-ended; err == nil {
		t.Fatal("a cut stream ended without an error")
	}
}
