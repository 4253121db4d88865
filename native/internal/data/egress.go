package data

import (
	"errors"
	"time"

	"cortex.dev/native/internal/egress"
	"cortex.dev/native/internal/wire"
)

// eventWithin is how long a host may leave its events unread before it is taken for lost.
const eventWithin = 30 * time.Second

// events tells the host what the sandbox asks of it, and takes the answers.
func (s *stream) events() {
	gate, err := s.guest.Gate()
	if err != nil {
		s.refuse(err)
		return
	}
	if err := gate.Serve(eventChannel{s}); err != nil {
		_ = s.conn.SetReadDeadline(time.Time{})
		s.refuse(err)
	}
}

// eventChannel is the stream as the gate sees it.
type eventChannel struct{ stream *stream }

func (c eventChannel) Next() (wire.Frame, error) { return c.stream.frames.Next() }

func (c eventChannel) Write(f wire.Frame) error {
	_ = c.stream.conn.SetWriteDeadline(time.Now().Add(eventWithin))
	return c.stream.write(f)
}

func (c eventChannel) Cut() {
	_ = c.stream.conn.SetReadDeadline(time.Now())
	_ = c.stream.conn.SetWriteDeadline(time.Now())
}

// egress carries the bytes of a connection that the host allowed.
func (s *stream) egress(id string) {
	gate, err := s.guest.Gate()
	if err != nil {
		s.refuse(err)
		return
	}
	claim, err := gate.Claim(id)
	if err != nil {
		s.refuse(err)
		return
	}
	if s.write(wire.HandshakeAck{}) != nil {
		claim.Drop()
		return
	}
	err = claim.Carry(&egress.Stream{Conn: s.conn, Source: s.source, Frames: s.frames})
	switch {
	case err == nil:
		s.linger()
	case !errors.Is(err, egress.ErrHostGone):
		s.refuse(err)
	}
}
