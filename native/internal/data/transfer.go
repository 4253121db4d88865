package data

import (
	"context"
	"errors"
	"io"

	"cortex.dev/native/internal/fault"
	"cortex.dev/native/internal/files"
	"cortex.dev/native/internal/guestpb"
	"cortex.dev/native/internal/wire"
)

// transfer moves the bytes of a copy that was prepared.
func (s *stream) transfer(ctx context.Context, id string) {
	t, err := s.guest.Transfers().Open(id)
	if err != nil {
		s.refuse(err)
		return
	}
	if err := s.write(wire.HandshakeAck{}); err != nil {
		return
	}
	if err := s.guest.Disk().Take(ctx); err != nil {
		return
	}
	if t.Direction() == files.Push {
		err = t.Receive(ctx, &frameSource{stream: s})
	} else {
		err = s.send(ctx, t)
	}
	s.guest.Disk().Give()
	if err == nil && t.Direction() == files.Pull {
		err = s.write(wire.Eof{})
	}
	if err == nil {
		err = s.write(wire.Exit{Cause: uint8(guestpb.ExitCause_EXIT_CAUSE_EXITED)})
	}
	if err != nil {
		s.refuse(err)
		return
	}
	s.linger()
}

func (s *stream) send(ctx context.Context, t *files.Transfer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// A host that gives up closes its stream; it has nothing else to say.
	go func() {
		_, _ = s.frames.Next()
		cancel()
	}()
	return t.Send(ctx, &frameSink{stream: s})
}

// frameSource is the bytes of Data frames up to Eof. A read fills its buffer as far as there are
// bytes to come, so that the disk gets few and large writes.
type frameSource struct {
	stream *stream
	follow int // bytes of the present frame
	ended  bool
}

func (r *frameSource) Read(p []byte) (n int, err error) {
	r.stream.guest.Disk().Without(func() { n, err = r.fill(p) })
	return n, err
}

func (r *frameSource) fill(p []byte) (int, error) {
	read := 0
	for read < len(p) && !r.ended {
		if r.follow == 0 {
			if err := r.next(); err != nil {
				return read, err
			}
			continue
		}
		part := p[read:min(len(p), read+r.follow)]
		n, err := io.ReadFull(r.stream.source, part)
		read += n
		r.follow -= n
		if err != nil {
			return read, unexpected(err)
		}
	}
	if read == 0 && r.ended {
		return 0, io.EOF
	}
	return read, nil
}

// next reads up to the bytes of the next frame, or to the end.
func (r *frameSource) next() error {
	frame, follow, err := r.stream.frames.NextOpen()
	if err != nil {
		return unexpected(err)
	}
	switch f := frame.(type) {
	case wire.Data:
		if f.Tag != wire.TagStdin {
			return fault.New(fault.InvalidArgument, "a transfer's data has tag %d, not %d", wire.TagStdin, f.Tag)
		}
		r.follow = follow
	case wire.Eof:
		r.ended = true
	default:
		return fault.New(fault.InvalidArgument, "a transfer has only Data and Eof")
	}
	return nil
}

// unexpected is the end of a stream in the middle: only Eof says that everything was sent.
func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// frameSink sends bytes as Data frames.
type frameSink struct{ stream *stream }

func (w *frameSink) Write(p []byte) (n int, err error) {
	w.stream.guest.Disk().Without(func() { n, err = w.send(p) })
	return n, err
}

func (w *frameSink) send(p []byte) (int, error) {
	written := 0
	for len(p) > 0 {
		part := p[:min(len(p), dataHeaders*wire.DataMost)]
		if err := w.stream.writeData(wire.TagStdout, part, nil); err != nil {
			return written, errors.Join(errPeerGone, err)
		}
		written += len(part)
		p = p[len(part):]
	}
	return written, nil
}
