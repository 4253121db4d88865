package egress

import (
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"cortex.dev/native/internal/fault"
	"cortex.dev/native/internal/wire"
)

const (
	// pieceBytes is what a direction carries at once.
	pieceBytes = 32 << 10
	// halfOpenWithin bounds the silence of a client whose remote has said its last.
	halfOpenWithin = 5 * time.Minute
	// leftOver bytes behind a plain request are read and dropped, so that closing does not destroy the
	// response on its way.
	leftOver = 1 << 20
)

var errClientGone = errors.New("the program has closed its connection")

var pieces = sync.Pool{New: func() any { return new([pieceBytes]byte) }}

// client is a program's connection.
type client interface {
	net.Conn
	CloseWrite() error
	SetLinger(seconds int) error
}

// tunnel is a client and a host's stream that have been put together.
type tunnel struct {
	client client
	stream *Stream

	halfOpen atomic.Bool // the remote has said its last

	mu    sync.Mutex
	cause error // of the first failure
}

// fail keeps the first cause and ends both directions. The client sees a reset: bytes that are cut
// off must not look like all of them.
func (t *tunnel) fail(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.cause != nil {
		return
	}
	t.cause = err
	_ = t.client.SetLinger(0)
	_ = t.client.Close()
	t.stream.interrupt(time.Now())
}

// end is the first cause in the words for the host, or nil.
func (t *tunnel) end() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if errors.Is(t.cause, errClientGone) {
		return fault.New(fault.Internal, "%s", errClientGone)
	}
	return t.cause
}

// run passes bytes until both directions have ended, or one has failed. up sends what the client
// says; it returns nil at the end of that. answered: the client is done once the remote is.
func (t *tunnel) run(up func() error, answered bool) error {
	received := make(chan struct{})
	go func() {
		defer close(received)
		buffer := pieces.Get().(*[pieceBytes]byte)
		defer pieces.Put(buffer)
		if err := t.stream.receive(t.client, buffer[:]); err != nil {
			t.fail(err)
			return
		}
		if answered {
			_ = t.client.SetReadDeadline(time.Now())
		} else {
			t.halfOpen.Store(true)
			_ = t.client.SetReadDeadline(time.Now().Add(halfOpenWithin))
		}
		_ = t.client.CloseWrite()
	}()
	err := up()
	if err == nil {
		err = t.stream.writeEof()
	}
	if err != nil {
		t.fail(err)
	}
	<-received
	if err := t.end(); err != nil {
		return err
	}
	return t.stream.writeExit()
}

// sendHead sends a request's head, which may be longer than a frame holds.
func (t *tunnel) sendHead(head []byte) error {
	for len(head) > 0 {
		n, err := t.stream.Write(head[:min(len(head), wire.DataMost)])
		if err != nil {
			return err
		}
		head = head[n:]
	}
	return nil
}

// copyUp sends what the client says, up to its end, to the host.
func (t *tunnel) copyUp(from io.Reader) error {
	buffer := pieces.Get().(*[pieceBytes]byte)
	defer pieces.Put(buffer)
	for {
		n, err := from.Read(buffer[:])
		if n > 0 {
			if t.halfOpen.Load() {
				_ = t.client.SetReadDeadline(time.Now().Add(halfOpenWithin))
			}
			if _, err := t.stream.Write(buffer[:n]); err != nil {
				return err
			}
		}
		switch {
		case err == io.EOF:
			return nil
		case isTimeout(err):
			// The remote has ended, and the client was given its time.
			return nil
		case errors.Is(err, errMalformedBody):
			return fault.New(fault.InvalidArgument, "%s", err)
		case err != nil:
			return errClientGone
		}
	}
}

func isTimeout(err error) bool {
	var timeout net.Error
	return errors.As(err, &timeout) && timeout.Timeout()
}

// discard reads what a client says behind its one request, until it or the response ends.
func discard(from io.Reader) {
	_, _ = io.CopyN(io.Discard, from, leftOver)
}

// Pieces must fit into frames.
const _ = uint(wire.DataMost - pieceBytes)
