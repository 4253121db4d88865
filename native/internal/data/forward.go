package data

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"cortex.dev/native/internal/fault"
	"cortex.dev/native/internal/forward"
	"cortex.dev/native/internal/guestpb"
	"cortex.dev/native/internal/wire"
	"golang.org/x/sys/unix"
)

// spliceBytes is what a direction of a connection carries at once. A connection that is silent has no buffer.
const spliceBytes = 32 << 10

var spliceBuffers = sync.Pool{New: func() any { return new([wire.DataHeaderSize + spliceBytes]byte) }}

// forward joins the stream with a connection to a port of the sandbox.
func (s *stream) forward(ctx context.Context, id string) {
	inside, err := s.guest.Forwards().Dial(ctx, id)
	if err != nil {
		s.refuse(err)
		return
	}
	if err := s.write(wire.HandshakeAck{}); err != nil {
		inside.Reset()
		return
	}
	j := &join{
		stream: s, inside: inside,
		finished: make(chan struct{}), settled: make(chan struct{}), over: make(chan struct{}),
	}
	go j.inward()
	err = j.outward()
	if err == nil {
		err = j.settle()
	}
	if err == nil {
		_ = inside.Close()
	} else {
		err = j.reason(err)
		inside.Reset()
	}
	// The other goroutine lets go of the stream, which is read here for the last time.
	_ = s.conn.SetReadDeadline(time.Now())
	<-j.over
	switch {
	case err == nil:
		s.linger()
	case !errors.Is(err, errPeerGone):
		s.refuse(err)
	}
}

// join is a stream and a connection that have been put together.
type join struct {
	stream   *stream
	inside   *forward.Conn
	finished chan struct{} // closed when the host has sent its last byte
	settled  chan struct{} // closed when both directions have ended well
	over     chan struct{} // closed when the host's frames are no longer read
	broken   error         // why that was, once over is closed
}

// reason is why the join broke: one direction that fails closes the connection under the other.
func (j *join) reason(err error) error {
	select {
	case <-j.over:
		return j.broken
	default:
		return err
	}
}

// outward sends what the sandbox's end says, up to its Eof.
func (j *join) outward() error {
	raw, err := j.inside.SyscallConn()
	if err != nil {
		return insideFault(err)
	}
	for {
		buffer, n, err := readWhenReady(raw)
		if err == nil && n > 0 {
			wire.AppendDataHeader(buffer[:0], wire.TagStdout, n)
			_, err = j.stream.conn.Write(buffer[:wire.DataHeaderSize+n])
			spliceBuffers.Put(buffer)
			if err != nil {
				return errPeerGone
			}
			continue
		}
		if err != nil {
			return insideFault(err)
		}
		if j.stream.write(wire.Eof{}) != nil {
			return errPeerGone
		}
		return nil
	}
}

// readWhenReady takes a buffer only once there are bytes to put into it; no bytes are the end.
func readWhenReady(raw rawReader) (buffer *[wire.DataHeaderSize + spliceBytes]byte, n int, err error) {
	waiting := raw.Read(func(fd uintptr) bool {
		buffer = spliceBuffers.Get().(*[wire.DataHeaderSize + spliceBytes]byte)
		for {
			n, err = unix.Read(int(fd), buffer[wire.DataHeaderSize:])
			if err != unix.EINTR {
				break
			}
		}
		if err == nil && n > 0 {
			return true
		}
		spliceBuffers.Put(buffer)
		return err != unix.EAGAIN
	})
	if waiting != nil {
		return nil, 0, waiting
	}
	return buffer, n, err
}

type rawReader interface {
	Read(func(fd uintptr) bool) error
}

// settle waits for the host's end of bytes, and tells it that both directions are through.
func (j *join) settle() error {
	select {
	case <-j.finished:
		close(j.settled)
		if j.stream.write(wire.Exit{Cause: uint8(guestpb.ExitCause_EXIT_CAUSE_EXITED)}) != nil {
			return errPeerGone
		}
		return nil
	case <-j.over:
		return j.broken
	}
}

// inward hands on what the host sends, and watches for the host's leaving to the end.
func (j *join) inward() {
	err := j.receive()
	select {
	case <-j.settled:
		close(j.over)
		return
	default:
	}
	// The other direction may be waiting for a host that takes nothing.
	if gone(err) {
		err = errPeerGone
		_ = j.stream.conn.SetWriteDeadline(time.Now())
	} else {
		_ = j.stream.conn.SetWriteDeadline(time.Now().Add(lastWords))
	}
	j.broken = err
	close(j.over)
	j.inside.Reset()
}

func (j *join) receive() error {
	for ended := false; ; {
		frame, follow, err := j.stream.frames.NextOpen()
		if err != nil {
			return err
		}
		switch f := frame.(type) {
		case wire.Data:
			if f.Tag != wire.TagStdin {
				return fault.New(fault.InvalidArgument, "a forward's data has tag %d, not %d", wire.TagStdin, f.Tag)
			}
			if ended {
				return fault.New(fault.InvalidArgument, "a forward has no data behind its Eof")
			}
			err = j.pass(follow)
		case wire.Eof:
			if ended {
				return fault.New(fault.InvalidArgument, "a forward has one Eof")
			}
			ended = true
			_ = j.inside.CloseWrite()
			close(j.finished)
		default:
			err = fault.New(fault.InvalidArgument, "a forward has only Data and Eof")
		}
		if err != nil {
			return err
		}
	}
}

// pass moves so many bytes of the stream into the sandbox.
func (j *join) pass(bytes int) error {
	buffer := spliceBuffers.Get().(*[wire.DataHeaderSize + spliceBytes]byte)
	defer spliceBuffers.Put(buffer)
	for bytes > 0 {
		part := buffer[:min(bytes, len(buffer))]
		if _, err := io.ReadFull(j.stream.source, part); err != nil {
			return unexpected(err)
		}
		if _, err := j.inside.Write(part); err != nil {
			return insideFault(err)
		}
		bytes -= len(part)
	}
	return nil
}

// insideFault is a failure of the connection inside, whose peer must not be taken for the stream's.
func insideFault(err error) error {
	f := fault.Of(err, "the connection in the sandbox broke")
	return &fault.Error{Code: f.Code, Message: f.Message}
}
