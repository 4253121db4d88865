package data

import (
	"context"
	"errors"

	"cortex.dev/native/internal/files"
	"cortex.dev/native/internal/guestpb"
	"cortex.dev/native/internal/wire"
)

// watch tells the host what changes, until it leaves or what it watches has gone.
func (s *stream) watch(ctx context.Context, id string) {
	w, err := s.guest.Watches().Open(ctx, id, s.guest.Disk())
	if err != nil {
		s.refuse(err)
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	over := make(chan struct{})
	if err := s.write(wire.HandshakeAck{}); err != nil {
		cancel()
		_ = w.Close()
		return
	}
	// A host that gives up closes its stream; it has nothing else to say.
	go func() {
		defer close(over)
		_, _ = s.frames.Next()
		cancel()
		w.Interrupt()
	}()
	err = s.tell(ctx, w)
	left := ctx.Err() != nil
	_ = s.conn.SetReadDeadline(pastDeadline)
	<-over
	cancel()
	_ = w.Close()
	switch {
	case left:
	case errors.Is(err, files.ErrRootGone):
		if s.write(wire.Exit{Cause: uint8(guestpb.ExitCause_EXIT_CAUSE_EXITED)}) == nil {
			s.linger()
		}
	case !errors.Is(err, errPeerGone):
		s.refuse(err)
	}
}

// tell sends batches of changes, each as whole records in few frames.
func (s *stream) tell(ctx context.Context, w *files.Watcher) error {
	var records []byte
	for {
		changes, err := w.Next(ctx)
		if err != nil {
			return err
		}
		records = records[:0]
		for _, c := range changes {
			whole := len(records)
			records = wire.Change{Kind: uint8(c.Kind), Folder: c.Folder, Path: c.Path, From: c.From}.Append(records)
			if len(records) > wire.DataMost {
				if err := s.writeData(wire.TagStdout, records[:whole], nil); err != nil {
					return errPeerGone
				}
				records = append(records[:0], records[whole:]...)
			}
		}
		if err := s.writeData(wire.TagStdout, records, nil); err != nil {
			return errPeerGone
		}
	}
}
