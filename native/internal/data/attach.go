package data

import (
	"errors"
	"time"

	"cortex.dev/native/internal/fault"
	"cortex.dev/native/internal/session"
	"cortex.dev/native/internal/wire"
	"golang.org/x/sys/unix"
)

var errPeerGone = errors.New("the peer has gone")

// attach connects a client with a session: one goroutine for each direction.
func (s *stream) attach(h wire.Handshake) {
	attachment, found, err := s.join(h)
	if err != nil {
		s.refuse(err)
		return
	}
	if err := s.write(attachment.Ack); err != nil {
		attachment.Close()
		return
	}
	heard := make(chan struct{})
	go func() {
		defer close(heard)
		err := s.listen(attachment)
		if gone(err) {
			err = errPeerGone
			// A write to a peer that has gone for good fails by itself; one that only has stopped
			// talking, and reads nothing either, must not keep the stream.
			_ = s.conn.SetWriteDeadline(time.Now())
		} else {
			_ = s.conn.SetWriteDeadline(time.Now().Add(lastWords))
		}
		attachment.Reader.Cancel(err)
	}()
	err = s.relay(attachment, found)
	attachment.Close()
	if err == nil {
		s.linger()
	} else if err != errPeerGone {
		s.refuse(err)
	}
	_ = s.conn.Close()
	<-heard
}

func (s *stream) join(h wire.Handshake) (*session.Attachment, *session.Session, error) {
	table, err := s.guest.Sessions()
	if err != nil {
		return nil, nil, err
	}
	found, err := table.Find(h.ID)
	if err != nil {
		return nil, nil, err
	}
	yield := func() { _ = s.conn.SetWriteDeadline(time.Now().Add(lastWords)) }
	attachment, err := found.Attach(h.Mode, h.Cursor, yield)
	return attachment, found, err
}

// relay sends the session's output; nil means that its end was sent.
func (s *stream) relay(a *session.Attachment, of *session.Session) error {
	for {
		chunk, err := a.Reader.Next()
		switch {
		case err != nil:
			return err
		case chunk.Gap:
			err = s.write(wire.Gap{Cursor: chunk.Cursor})
		case chunk.End:
			exit := of.Exit()
			return s.write(wire.Exit{Cause: uint8(exit.Cause), Code: exit.Code})
		default:
			err = s.writeData(chunk.Tag, chunk.A, chunk.B)
		}
		if err != nil {
			return errPeerGone
		}
	}
}

// listen does what the client sends; it returns when the client may or can send no more.
func (s *stream) listen(a *session.Attachment) error {
	for {
		frame, err := s.frames.Next()
		if err != nil {
			return err
		}
		switch f := frame.(type) {
		case wire.Data:
			if f.Tag != wire.TagStdin {
				return fault.New(fault.InvalidArgument, "a client's data has tag %d, not %d", wire.TagStdin, f.Tag)
			}
			err = s.input(a, f.Bytes)
		case wire.Winsize:
			err = a.Resize(session.Size{Rows: f.Rows, Columns: f.Columns, XPixels: f.XPixels, YPixels: f.YPixels})
		case wire.StdinClose:
			err = a.CloseInput()
		default:
			err = fault.New(fault.InvalidArgument, "a client of a session may not send this frame")
		}
		if err != nil {
			return err
		}
	}
}

// input hands bytes to the process. While that has to wait, nobody reads the stream, so its end is
// watched for in another way: a holder that has gone must not keep its hold.
func (s *stream) input(a *session.Attachment, p []byte) error {
	if !a.Full(len(p)) {
		return a.Write(p)
	}
	raw, err := s.conn.SyscallConn()
	if err != nil {
		return err
	}
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		if raw.Read(hungUp) == nil {
			a.Reader.Cancel(errPeerGone)
			_ = s.conn.SetWriteDeadline(time.Now())
			a.Abandon()
		}
	}()
	err = a.Write(p)
	_ = s.conn.SetReadDeadline(time.Now())
	<-watched
	_ = s.conn.SetReadDeadline(time.Time{})
	return err
}

// hungUp says whether the peer has closed its end, whatever it sent before.
func hungUp(fd uintptr) bool {
	fds := [1]unix.PollFd{{Fd: int32(fd), Events: unix.POLLRDHUP}}
	n, err := unix.Poll(fds[:], 0)
	return err == nil && n > 0
}
