// Package data serves the streams that carry the bytes of sessions and files.
package data

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"syscall"
	"time"

	"cortex.dev/native/internal/control"
	"cortex.dev/native/internal/fault"
	"cortex.dev/native/internal/wire"
)

const (
	handshakeWithin = 5 * time.Second
	// lastWords is how long a peer that is to be told why its stream ends may take to listen.
	lastWords = 2 * time.Second
	// readBuffer holds small frames; the bytes of large ones go past it.
	readBuffer = 4 << 10
	// dataHeaders is how many frames one writeData makes at most, so that their headers stay in place.
	dataHeaders = 8
)

// pastDeadline makes whoever reads or writes return at once.
var pastDeadline = time.Unix(1, 0)

// Conn is a stream of which each direction can be closed by itself.
type Conn interface {
	net.Conn
	syscall.Conn
	CloseWrite() error
}

// stream is one data stream behind its Hello.
type stream struct {
	conn   Conn
	source *bufio.Reader // what frames reads from
	frames *wire.Reader
	guest  *control.Guest
	header []byte // reused for what goes before bytes
	parts  [][]byte
}

// Serve reads the Handshake and does what it asks for. It returns when the stream is over, and the
// caller closes it.
func Serve(ctx context.Context, conn Conn, guest *control.Guest) {
	source := bufio.NewReaderSize(conn, readBuffer)
	s := &stream{conn: conn, source: source, frames: wire.NewReader(source), guest: guest}
	_ = conn.SetReadDeadline(time.Now().Add(handshakeWithin))
	frame, err := s.frames.Next()
	if err != nil {
		s.refuse(err)
		return
	}
	_ = conn.SetReadDeadline(time.Time{})
	handshake, ok := frame.(wire.Handshake)
	if !ok {
		s.refuse(fault.New(fault.InvalidArgument, "a data stream begins with a Handshake"))
		return
	}
	switch handshake.Kind {
	case wire.KindAttach:
		s.attach(handshake)
	case wire.KindTransfer:
		s.transfer(ctx, handshake.ID)
	case wire.KindForward:
		s.forward(ctx, handshake.ID)
	case wire.KindWatch:
		s.watch(ctx, handshake.ID)
	case wire.KindEvents:
		s.events()
	case wire.KindEgress:
		s.egress(handshake.ID)
	default:
		s.refuse(fault.New(fault.Unsupported, "this neuron has no data streams of kind %d", handshake.Kind))
	}
}

func (s *stream) write(f wire.Frame) error {
	s.header = f.Append(s.header[:0])
	_, err := s.conn.Write(s.header)
	return err
}

// writeData sends bytes as frames, in one call as far as the socket takes them.
func (s *stream) writeData(tag wire.Tag, a, b []byte) error {
	left := len(a) + len(b)
	s.header, s.parts = slices.Grow(s.header[:0], dataHeaders*wire.DataHeaderSize), s.parts[:0]
	for left > 0 {
		n := min(left, wire.DataMost)
		left -= n
		from := len(s.header)
		s.header = wire.AppendDataHeader(s.header, tag, n)
		s.parts = append(s.parts, s.header[from:])
		for n > 0 {
			if len(a) == 0 {
				a, b = b, nil
			}
			k := min(n, len(a))
			s.parts = append(s.parts, a[:k])
			a, n = a[k:], n-k
		}
	}
	out := net.Buffers(s.parts)
	_, err := out.WriteTo(s.conn)
	return err
}

// refuse tells the peer why its stream ends, if it still listens.
func (s *stream) refuse(err error) {
	if gone(err) {
		return
	}
	f := streamFault(err)
	_ = s.conn.SetWriteDeadline(time.Now().Add(lastWords))
	if s.write(wire.Error{Code: string(f.Code), Message: f.Message}) == nil {
		s.linger()
	}
}

// linger lets the peer read what was written last: closing a socket that holds unread bytes would
// look like a broken stream to it.
func (s *stream) linger() {
	if s.conn.CloseWrite() != nil {
		return
	}
	_ = s.conn.SetReadDeadline(time.Now().Add(lastWords))
	var scrap [512]byte // most peers have nothing more to say, and many may be listening
	for {
		if _, err := s.conn.Read(scrap[:]); err != nil {
			return
		}
	}
}

func streamFault(err error) *fault.Error {
	if errors.Is(err, wire.ErrMalformed) {
		return &fault.Error{Code: fault.InvalidArgument, Message: err.Error(), Cause: err}
	}
	return control.FaultOf(err, "serve the stream")
}

// gone says whether an error means that nobody listens any more.
func gone(err error) bool {
	var network *net.OpError
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) ||
		errors.As(err, &network)
}
