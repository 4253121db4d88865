package control

import (
	"context"
	"crypto/subtle"

	"cortex.dev/native/internal/fault"
	"cortex.dev/native/internal/guestpb"
	"cortex.dev/native/internal/wire"
)

// Channel is what the host's streams come through.
type Channel interface {
	// Suspend closes it soon after it has returned, and opens it again once a file of that name
	// appears; what the file says is told to woken before.
	Suspend(file string, woken func(Waking)) error
}

// Waking is what a neuron finds itself to be when its channel opens again: the file's line.
type Waking string

// The wakings. Any other is taken for Restored, which trusts nobody.
const (
	// Resumed is the same sandbox after a checkpoint, for its host's token.
	Resumed Waking = "resumed"
	// Restored is one that was made of a checkpoint: it needs a new identity first.
	Restored Waking = "restored"
)

// stillness is what Quiesce did and Thaw undoes.
type stillness struct{ stopped []int }

// Quiesce stops every session's processes, and closes the channel if it is asked to.
func (g *Guest) Quiesce(_ context.Context, r *guestpb.QuiesceRequest) (*guestpb.QuiesceResponse, error) {
	g.initializing.Lock()
	defer g.initializing.Unlock()
	if _, err := g.alive(); err != nil {
		return nil, err
	}
	if g.still.Load() == nil {
		stopped, err := g.spawner.StopAll()
		if err != nil {
			return nil, err
		}
		g.still.Store(&stillness{stopped})
	}
	if !r.CloseChannel {
		return &guestpb.QuiesceResponse{}, nil
	}
	if err := g.channel.Suspend(string(r.ResumeFile), g.wake); err != nil {
		_ = g.goOn()
		return nil, err
	}
	return &guestpb.QuiesceResponse{}, nil
}

// wake takes away what the token is worth, unless this is the sandbox that it was given to.
func (g *Guest) wake(waking Waking) {
	if waking == Resumed {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.life != nil {
		g.life.stale = true
	}
}

func (g *Guest) isStale(l *life) bool {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return l.stale
}

// Thaw lets the sessions go on.
func (g *Guest) Thaw(context.Context, *guestpb.ThawRequest) (*guestpb.ThawResponse, error) {
	g.initializing.Lock()
	defer g.initializing.Unlock()
	return &guestpb.ThawResponse{}, g.goOn()
}

func (g *Guest) goOn() error {
	still := g.still.Swap(nil)
	if still == nil {
		return nil
	}
	if err := g.spawner.Continue(still.stopped); err != nil {
		g.still.Store(still)
		return err
	}
	return nil
}

// again gives a restored sandbox its own identity; its sessions are those of the checkpoint.
func (g *Guest) again(l *life, token wire.Token, r *guestpb.InitializeRequest) error {
	if subtle.ConstantTimeCompare(l.token[:], token[:]) == 1 {
		return fault.New(fault.Unauthenticated, "the sandbox was restored: the token of before is worth nothing").
			WithRemedy("call Initialize with another token")
	}
	if err := g.identify(r); err != nil {
		return err
	}
	if err := l.sessions.SetEnvironment(r.Environment); err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	l.token, l.generation, l.stale = token, r.Generation, false
	return nil
}
