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
	if t.Direction() == files.Push {
		err = t.Receive(ctx, &frameSource{stream: s})
	} else {
		err = s.send(ctx, t)
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
	if err := t.Send(ctx, &frameSink{stream: s}); err != nil {
		return err
	}
	return s.write(wire.Eof{})
}

// frameSource is the bytes of Data frames up to Eof.
type frameSource struct {
	stream *stream
	rest   []byte
	ended  bool
}

func (r *frameSource) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		if r.ended {
			return 0, io.EOF
		}
		frame, err := r.stream.frames.Next()
		if err == io.EOF {
			// Only Eof says that everything was sent.
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return 0, err
		}
		switch f := frame.(type) {
		case wire.Data:
			if f.Tag != wire.TagStdin {
				return 0, fault.New(fault.InvalidArgument, "a transfer's data has tag 0, not %d", f.Tag)
			}
			r.rest = f.Bytes
		case wire.Eof:
			r.ended = true
		default:
			return 0, fault.New(fault.InvalidArgument, "a transfer has only Data and Eof")
		}
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// frameSink sends bytes as Data frames.
type frameSink struct{ stream *stream }

func (w *frameSink) Write(p []byte) (int, error) {
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
