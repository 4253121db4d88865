package egress

import (
	"context"
	"strconv"
	"sync"
	"time"

	"cortex.dev/native/internal/fault"
	"cortex.dev/native/internal/guestpb"
	"cortex.dev/native/internal/wire"
	"google.golang.org/protobuf/proto"
)

const (
	// hostWithin is how long a request waits for a host that is not there: one that is started again
	// serves within two seconds.
	hostWithin = 5 * time.Second
	// answerWithin is over a minute, which a person may take to answer for the host.
	answerWithin = 90 * time.Second
)

// Request is a connection that a program of the sandbox wants.
type Request struct {
	Host   string
	Port   uint16
	Via    guestpb.Via
	Method string
	Origin Origin
}

// Gate holds the requests that the host has not decided. Its methods may be called by any goroutine.
type Gate struct {
	mu      sync.Mutex
	last    uint64 // numbers are never used again, whatever the host remembers
	waiting map[uint64]*waiting
	host    *host         // nil while there is none
	changed chan struct{} // closed when host is another one
}

// waiting is a request that was not decided.
type waiting struct {
	event   wire.Event
	outcome chan outcome // holds one
}

// outcome is a stream or a refusal.
type outcome struct {
	stream *Stream
	err    error
}

// NewGate makes a gate without a host.
func NewGate() *Gate {
	return &Gate{waiting: map[uint64]*waiting{}, changed: make(chan struct{})}
}

// Ask has the host decide. The stream that it returns must be finished by the caller.
func (g *Gate) Ask(ctx context.Context, r Request) (*Stream, error) {
	body, err := proto.Marshal(&guestpb.ConnectEvent{
		Host: []byte(r.Host), Port: uint32(r.Port), Via: r.Via, Method: r.Method,
		Session: r.Origin.Session, Program: r.Origin.Program,
	})
	if err != nil {
		return nil, fault.Of(err, "ask for a connection")
	}
	w := &waiting{outcome: make(chan outcome, 1)}
	g.mu.Lock()
	g.last++
	w.event = wire.Event{Number: g.last, Kind: uint8(guestpb.EventKind_EVENT_KIND_CONNECT), Body: body}
	g.waiting[w.event.Number] = w
	g.mu.Unlock()
	return g.await(ctx, w)
}

// await tells the host, and whichever host comes after it, until one has decided.
func (g *Gate) await(ctx context.Context, w *waiting) (*Stream, error) {
	answer := time.NewTimer(answerWithin)
	defer answer.Stop()
	patience := time.NewTimer(hostWithin)
	defer patience.Stop()
	for {
		h, changed := g.present()
		var missing <-chan time.Time
		if h == nil {
			missing = patience.C
		} else {
			patience.Reset(hostWithin)
			h.send(w.event)
		}
		select {
		case o := <-w.outcome:
			return o.stream, o.err
		case <-changed:
		case <-missing:
			return g.withdraw(w, fault.New(fault.NotReady, "no perimeter at the moment: the daemon is not there").
				WithRemedy("try again when it is back"))
		case <-answer.C:
			return g.withdraw(w, fault.New(fault.Deadline, "the host has not decided within %s", answerWithin))
		case <-ctx.Done():
			return g.withdraw(w, ctx.Err())
		}
	}
}

func (g *Gate) present() (*host, <-chan struct{}) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.host, g.changed
}

// withdraw gives up a request, unless it was decided just now.
func (g *Gate) withdraw(w *waiting, why error) (*Stream, error) {
	g.mu.Lock()
	_, undecided := g.waiting[w.event.Number]
	delete(g.waiting, w.event.Number)
	h := g.host
	g.mu.Unlock()
	if !undecided {
		o := <-w.outcome
		return o.stream, o.err
	}
	if h != nil {
		h.send(wire.Event{Number: w.event.Number, Kind: uint8(guestpb.EventKind_EVENT_KIND_WITHDRAWN)})
	}
	return nil, why
}

// take removes a request that is being decided.
func (g *Gate) take(number uint64) (*waiting, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	w, found := g.waiting[number]
	delete(g.waiting, number)
	return w, found
}

// Claim finds the request that a host dials for. The caller must deliver a stream to it.
func (g *Gate) Claim(id string) (*Claim, error) {
	number, err := strconv.ParseUint(id, 10, 64)
	if err != nil || id != strconv.FormatUint(number, 10) {
		return nil, fault.New(fault.InvalidArgument, "%q is not the number of a request", id)
	}
	w, found := g.take(number)
	if !found {
		return nil, fault.New(fault.NotFound, "no request %d waits", number)
	}
	return &Claim{w}, nil
}

// Claim is a request that was allowed.
type Claim struct{ request *waiting }

// Carry gives the stream to whoever asked, and returns once that is done with it.
func (c *Claim) Carry(s *Stream) error {
	s.finished = make(chan error, 1)
	c.request.outcome <- outcome{stream: s}
	return <-s.finished
}

// Drop tells whoever asked that its stream broke.
func (c *Claim) Drop() {
	c.request.outcome <- outcome{err: fault.New(fault.NotReady, "the daemon went away").WithRemedy("try again")}
}

// Pending is how many requests wait.
func (g *Gate) Pending() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.waiting)
}
