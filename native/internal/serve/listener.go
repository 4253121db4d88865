// Package serve accepts the host's streams and gives each to what its Hello asks for.
package serve

import (
	"context"
	"errors"
	"io"
	"net"
	"sync/atomic"
	"time"

	"cortex.dev/native/internal/control"
	"cortex.dev/native/internal/data"
	"cortex.dev/native/internal/wire"
	"github.com/containerd/log"
	"github.com/containerd/ttrpc"
)

const (
	helloWithin = 5 * time.Second
	// streamsMost are open at once; each takes a descriptor and some 10 KiB.
	streamsMost = 12_000
	acceptPause = 20 * time.Millisecond
)

// Listener serves one guest.
type Listener struct {
	guest  *control.Guest
	server *ttrpc.Server
	open   atomic.Int64
}

// NewListener makes a listener for the guest.
func NewListener(guest *control.Guest) (*Listener, error) {
	server, err := control.NewServer(guest)
	if err != nil {
		return nil, err
	}
	// The library tells of every stream that ends without a farewell.
	log.L.Logger.SetOutput(io.Discard)
	return &Listener{guest: guest, server: server}, nil
}

// Run accepts streams for as long as the channel can be open.
func (l *Listener) Run(ctx context.Context, channel *Channel) error {
	for {
		conn, err := channel.accept(ctx)
		if errors.Is(err, net.ErrClosed) || ctx.Err() != nil {
			return nil
		}
		if err != nil {
			// Too many descriptors, mostly: it passes, and a neuron that ended would lose everything.
			time.Sleep(acceptPause)
			continue
		}
		bare, ok := conn.(data.Conn)
		if !ok || l.open.Load() >= streamsMost {
			_ = conn.Close()
			continue
		}
		l.open.Add(1)
		go l.serve(ctx, bare, channel.track(bare, l.leave))
	}
}

// serve answers one stream; counted is the same, told of when it is closed.
func (l *Listener) serve(ctx context.Context, bare data.Conn, counted *stream) {
	hello, admission, ok := l.greet(bare)
	if ok && hello.Purpose == wire.PurposeControl {
		stream := control.NewStream(admission == control.Trusted)
		// Serve returns once it has taken the one stream, which it closes itself in the end.
		_ = l.server.Serve(stream.On(ctx), &single{conn: counted})
		return
	}
	defer counted.Close()
	if ok {
		// The bare stream: around it, a frame's parts would go out one by one.
		data.Serve(ctx, bare, l.guest)
	}
}

func (l *Listener) leave() { l.open.Add(-1) }

// greet reads the Hello and answers it.
func (l *Listener) greet(conn data.Conn) (wire.Hello, control.Admission, bool) {
	_ = conn.SetDeadline(time.Now().Add(helloWithin))
	hello, err := wire.ReadHello(conn)
	if err != nil && !errors.Is(err, wire.ErrUnknownPurpose) {
		return hello, control.Refused, false
	}
	answer, admission := l.answer(hello, err)
	if _, err := conn.Write(answer.Append(nil)); err != nil || answer.Status != wire.StatusOK {
		return hello, admission, false
	}
	_ = conn.SetDeadline(time.Time{})
	return hello, admission, true
}

func (l *Listener) answer(hello wire.Hello, err error) (wire.HelloAck, control.Admission) {
	if err != nil {
		return wire.HelloAck{Status: wire.StatusUnknownPurpose}, control.Refused
	}
	version, common := hello.Choose()
	if !common {
		return wire.HelloAck{Status: wire.StatusNoCommonVersion}, control.Refused
	}
	admission := l.guest.Admits(hello.Token)
	if admission == control.Refused || admission == control.Restricted && hello.Purpose == wire.PurposeData {
		return wire.HelloAck{Status: wire.StatusTokenRefused}, control.Refused
	}
	return wire.HelloAck{Version: version}, admission
}

// single is a listener that yields one stream.
type single struct {
	conn  net.Conn
	taken bool
}

func (s *single) Accept() (net.Conn, error) {
	if s.taken {
		return nil, io.EOF
	}
	s.taken = true
	return s.conn, nil
}

func (s *single) Close() error   { return nil }
func (s *single) Addr() net.Addr { return s.conn.LocalAddr() }
