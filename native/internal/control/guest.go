// Package control answers the calls of cortex.guest.v1.Guest.
package control

import (
	"context"
	"crypto/subtle"
	"sync"
	"sync/atomic"
	"time"

	"cortex.dev/native/internal/boot"
	"cortex.dev/native/internal/egress"
	"cortex.dev/native/internal/fault"
	"cortex.dev/native/internal/files"
	"cortex.dev/native/internal/forward"
	"cortex.dev/native/internal/guestpb"
	"cortex.dev/native/internal/session"
	"cortex.dev/native/internal/sudo"
	"cortex.dev/native/internal/wire"
	"github.com/containerd/ttrpc"
)

// Guest is the neuron as its host sees it.
type Guest struct {
	machine   *boot.Machine
	spawner   *session.Spawner
	clock     session.Clock
	started   time.Time
	transfers *files.Transfers
	watches   *files.Watches
	disk      *Slots
	forwards  *forward.Ports
	channel   Channel
	leave     func()                    // ends the neuron, soon after it was called
	still     atomic.Pointer[stillness] // nil: sessions run

	initializing sync.Mutex
	mu           sync.RWMutex
	life         *life // nil before Initialize
}

// life is what Initialize made.
type life struct {
	token      wire.Token
	generation uint64
	stale      bool // the sandbox was restored: the token is another one's
	sessions   *session.Table
	config     session.Config
	door       *sudo.Door   // nil: there is one user
	gate       *egress.Gate // nil without a way out
}

// NewGuest makes a neuron that waits for Initialize. leave is called after Shutdown.
func NewGuest(machine *boot.Machine, spawner *session.Spawner, clock session.Clock, channel Channel, leave func()) *Guest {
	return &Guest{
		machine: machine, spawner: spawner, clock: clock, started: time.Now(),
		transfers: files.NewTransfers(time.Now), watches: files.NewWatches(time.Now), disk: newSlots(), forwards: forward.NewPorts(),
		channel: channel, leave: leave,
	}
}

// NewServer makes the ttrpc server of the guest's calls.
func NewServer(g *Guest) (*ttrpc.Server, error) {
	server, err := ttrpc.NewServer(ttrpc.WithUnaryServerInterceptor(g.intercept))
	if err != nil {
		return nil, err
	}
	guestpb.RegisterGuestService(server, g)
	return server, nil
}

// Admission is what a token opens.
type Admission int

// The admissions.
const (
	Refused    Admission = iota
	Restricted           // Info and Initialize
	Trusted
)

// Admits looks at the token of a Hello.
func (g *Guest) Admits(token wire.Token) Admission {
	g.mu.RLock()
	defer g.mu.RUnlock()
	var none wire.Token
	if subtle.ConstantTimeCompare(token[:], none[:]) == 1 {
		return Restricted
	}
	if g.life != nil && subtle.ConstantTimeCompare(token[:], g.life.token[:]) == 1 {
		if g.life.stale {
			return Restricted
		}
		return Trusted
	}
	return Refused
}

// Sessions are there once Initialize has returned.
func (g *Guest) Sessions() (*session.Table, error) {
	l, err := g.alive()
	if err != nil {
		return nil, err
	}
	return l.sessions, nil
}

// Gate is the way out, where Initialize asked for one.
func (g *Guest) Gate() (*egress.Gate, error) {
	l, err := g.alive()
	if err != nil {
		return nil, err
	}
	if l.gate == nil {
		return nil, fault.New(fault.Unsupported, "this sandbox was initialized without a proxy")
	}
	return l.gate, nil
}

// Transfers are the copies that wait for their streams.
func (g *Guest) Transfers() *files.Transfers { return g.transfers }

// Watches are what the host looks at, or is about to.
func (g *Guest) Watches() *files.Watches { return g.watches }

// Forwards are the ports that a host may connect to.
func (g *Guest) Forwards() *forward.Ports { return g.forwards }

// Disk are the slots of what works on files.
func (g *Guest) Disk() *Slots { return g.disk }

func (g *Guest) alive() (*life, error) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	if g.life == nil {
		return nil, fault.New(fault.NotReady, "the sandbox is not initialized").WithRemedy("call Initialize first")
	}
	return g.life, nil
}

// Shutdown ends every session, answers, and ends the neuron.
func (g *Guest) Shutdown(_ context.Context, r *guestpb.ShutdownRequest) (*guestpb.ShutdownResponse, error) {
	grace := 2 * time.Second
	if r.GetGraceMs() > 0 {
		grace = time.Duration(min(r.GetGraceMs(), 60_000)) * time.Millisecond
	}
	if l, err := g.alive(); err == nil {
		if err := l.sessions.Shutdown(grace); err != nil {
			return nil, err
		}
	}
	g.leave()
	return &guestpb.ShutdownResponse{}, nil
}
