package control

import (
	"context"
	"strings"
	"sync/atomic"

	"cortex.dev/native/internal/fault"
)

// Stream is what the neuron knows of one control stream.
type Stream struct {
	trusted atomic.Bool // its Hello bore the token, or its Initialize set it
}

type streamKey struct{}

// NewStream makes a stream that may call everything, or only Info and Initialize.
func NewStream(trusted bool) *Stream {
	s := &Stream{}
	s.trusted.Store(trusted)
	return s
}

// On returns a context whose calls belong to the stream.
func (s *Stream) On(ctx context.Context) context.Context {
	return context.WithValue(ctx, streamKey{}, s)
}

func streamOf(ctx context.Context) *Stream {
	if s, ok := ctx.Value(streamKey{}).(*Stream); ok {
		return s
	}
	return NewStream(false)
}

func admit(ctx context.Context, method string) *fault.Error {
	if streamOf(ctx).trusted.Load() || strings.HasSuffix(method, "/Info") || strings.HasSuffix(method, "/Initialize") {
		return nil
	}
	return fault.New(fault.NotReady, "a stream without the token may only call Info and Initialize").
		WithRemedy("call Initialize first, or dial with its token")
}

// whileStill refuses what would begin something between Quiesce and Thaw.
func (g *Guest) whileStill(method string) *fault.Error {
	if g.still.Load() == nil {
		return nil
	}
	for _, harmless := range []string{"/Info", "/Initialize", "/Quiesce", "/Thaw", "/SessionStatus", "/ListSessions", "/Shutdown"} {
		if strings.HasSuffix(method, harmless) {
			return nil
		}
	}
	return fault.New(fault.NotReady, "the sandbox stands still for a checkpoint").WithRemedy("call Thaw first")
}
