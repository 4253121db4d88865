package egress

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"cortex.dev/native/internal/fault"
	"cortex.dev/native/internal/guestpb"
	"cortex.dev/native/internal/wire"
)

// ErrHostGone means that the host's stream broke off.
var ErrHostGone = errors.New("the host has gone")

// Stream is a data stream that the host dialled for a request. It carries bytes as a forward's does.
type Stream struct {
	Conn   net.Conn
	Source *bufio.Reader // what Frames reads from
	Frames *wire.Reader

	header   [wire.DataHeaderSize]byte
	parts    [2][]byte
	finished chan error
}

// Finish lets go of the stream: nil when both directions came to their end.
func (s *Stream) Finish(err error) { s.finished <- err }

// Write sends one piece of at most wire.DataMost bytes, without copying it.
func (s *Stream) Write(p []byte) (int, error) {
	if len(p) > wire.DataMost {
		return 0, fmt.Errorf("a piece of %d bytes", len(p))
	}
	s.parts = [2][]byte{wire.AppendDataHeader(s.header[:0], wire.TagStdout, len(p)), p}
	out := net.Buffers(s.parts[:])
	if _, err := out.WriteTo(s.Conn); err != nil {
		return 0, ErrHostGone
	}
	return len(p), nil
}

// writeEof says that no more bytes come.
func (s *Stream) writeEof() error { return s.writeFrame(wire.Eof{}) }

// writeExit says that all bytes of both directions were delivered.
func (s *Stream) writeExit() error {
	return s.writeFrame(wire.Exit{Cause: uint8(guestpb.ExitCause_EXIT_CAUSE_EXITED)})
}

func (s *Stream) writeFrame(f wire.Frame) error {
	if _, err := s.Conn.Write(f.Append(nil)); err != nil {
		return ErrHostGone
	}
	return nil
}

// receive hands the remote's bytes to the client, through the buffer, up to the host's Eof.
func (s *Stream) receive(client io.Writer, buffer []byte) error {
	for {
		frame, follow, err := s.Frames.NextOpen()
		if errors.Is(err, wire.ErrMalformed) {
			return &fault.Error{Code: fault.InvalidArgument, Message: err.Error()}
		}
		if err != nil {
			return ErrHostGone
		}
		switch f := frame.(type) {
		case wire.Data:
			if f.Tag != wire.TagStdin {
				return fault.New(fault.InvalidArgument, "a connection's data has tag %d, not %d", wire.TagStdin, f.Tag)
			}
		case wire.Eof:
			return nil
		default:
			return fault.New(fault.InvalidArgument, "a connection has only Data and Eof")
		}
		for follow > 0 {
			n, err := s.Source.Read(buffer[:min(follow, len(buffer))])
			if err != nil {
				return ErrHostGone
			}
			if _, err := client.Write(buffer[:n]); err != nil {
				return errClientGone
			}
			follow -= n
		}
	}
}

// interrupt ends what reads the stream at once, and what writes it soon.
func (s *Stream) interrupt(now time.Time) {
	const lastWords = 2 * time.Second
	_ = s.Conn.SetReadDeadline(now)
	_ = s.Conn.SetWriteDeadline(now.Add(lastWords))
}
