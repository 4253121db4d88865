package egress

import (
	"sync"

	"cortex.dev/native/internal/fault"
	"cortex.dev/native/internal/guestpb"
	"cortex.dev/native/internal/wire"
	"google.golang.org/protobuf/proto"
)

// Channel is an events stream. One goroutine reads; writers exclude each other outside.
type Channel interface {
	Next() (wire.Frame, error)
	// Write may block; it fails within a bounded time on a host that does not read.
	Write(wire.Frame) error
	// Cut ends a blocked Next and all Writes.
	Cut()
}

// host is the present end of the events stream.
type host struct {
	channel Channel
	writing sync.Mutex
}

// send tells the host; one that cannot be told is cut off, and the next one is told anew.
func (h *host) send(e wire.Event) {
	h.writing.Lock()
	defer h.writing.Unlock()
	if h.channel.Write(e) != nil {
		h.channel.Cut()
	}
}

// Serve accepts the stream and takes the host's answers until it ends. A newer stream takes this one's
// place: the host has opened it because it thinks that this one is lost.
func (g *Gate) Serve(c Channel) error {
	h := &host{channel: c}
	defer g.leave(h)
	err := g.accept(h)
	for err == nil {
		err = g.next(h)
	}
	if g.replaced(h) {
		return fault.New(fault.Busy, "a newer events stream has taken this one's place")
	}
	return err
}

// accept makes this the present host and then says so: a host that opens a second stream once the first
// was accepted would else lose the newer to the older. No event goes out before the word.
func (g *Gate) accept(h *host) error {
	h.writing.Lock()
	defer h.writing.Unlock()
	g.enter(h)
	return h.channel.Write(wire.HandshakeAck{})
}

// next takes one answer.
func (g *Gate) next(h *host) error {
	frame, err := h.channel.Next()
	if err != nil {
		return err
	}
	answer, ok := frame.(wire.Answer)
	if !ok {
		return fault.New(fault.InvalidArgument, "a host sends only answers on its events stream")
	}
	if g.replaced(h) {
		return nil // what it says no longer counts
	}
	return g.decide(answer)
}

func (g *Gate) enter(h *host) {
	g.mu.Lock()
	before := g.host
	g.host = h
	close(g.changed)
	g.changed = make(chan struct{})
	g.mu.Unlock()
	if before != nil {
		before.channel.Cut()
	}
}

func (g *Gate) leave(h *host) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.host == h {
		g.host = nil
		close(g.changed)
		g.changed = make(chan struct{})
	}
}

func (g *Gate) replaced(h *host) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.host != h
}

// decide hands an answer to whoever waits for it; one that nobody waits for is late, and no fault.
func (g *Gate) decide(a wire.Answer) error {
	if a.Kind != uint8(guestpb.AnswerKind_ANSWER_KIND_REFUSED) {
		return fault.New(fault.InvalidArgument, "an answer of the unknown kind %d", a.Kind)
	}
	var detail guestpb.ErrorDetail
	if err := proto.Unmarshal(a.Body, &detail); err != nil {
		return fault.New(fault.InvalidArgument, "an answer whose body cannot be read")
	}
	if w, found := g.take(a.Number); found {
		w.outcome <- outcome{err: &fault.Error{
			Code: fault.Code(detail.Code), Message: detail.Message, Remedy: detail.Remedy,
		}}
	}
	return nil
}
