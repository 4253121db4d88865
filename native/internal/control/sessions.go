package control

import (
	"context"
	"math"
	"syscall"
	"time"

	"cortex.dev/native/internal/fault"
	"cortex.dev/native/internal/guestpb"
	"cortex.dev/native/internal/session"
)

// waitMost bounds how long one SessionStatus waits.
const waitMost = 10 * time.Minute

// signalMost is the highest signal of Linux (_NSIG).
const signalMost = 64

// Exec starts one process.
func (g *Guest) Exec(_ context.Context, r *guestpb.ExecRequest) (*guestpb.ExecResponse, error) {
	l, err := g.alive()
	if err != nil {
		return nil, err
	}
	request := session.Request{
		ID: r.SessionId, Argv: r.Argv, Environment: r.Environment, WorkingDirectory: string(r.WorkingDirectory),
		User: r.User, Stdin: r.Stdin, Claim: r.Claim, TimeoutMillis: r.TimeoutMs, Background: r.Background, Label: r.Label,
	}
	if r.Terminal != nil {
		request.Terminal = &session.Terminal{Term: r.Terminal.Term, Size: sizeOf(r.Terminal.Size)}
	}
	s, already, err := l.sessions.Exec(request)
	if err != nil {
		return nil, err
	}
	return &guestpb.ExecResponse{Already: already, Session: l.sessions.Info(s)}, nil
}

func sizeOf(w *guestpb.WindowSize) session.Size {
	narrow := func(n uint32) uint16 { return uint16(min(n, math.MaxUint16)) }
	return session.Size{
		Rows: narrow(w.GetRows()), Columns: narrow(w.GetColumns()), XPixels: narrow(w.GetXPixels()), YPixels: narrow(w.GetYPixels()),
	}
}

// Signal sends a signal to a session.
func (g *Guest) Signal(_ context.Context, r *guestpb.SignalRequest) (*guestpb.SignalResponse, error) {
	if r.Signal < 1 || r.Signal > signalMost {
		return nil, fault.New(fault.InvalidArgument, "%d is no signal", r.Signal)
	}
	_, s, err := g.find(r.SessionId)
	if err != nil {
		return nil, err
	}
	n, err := s.Signal(syscall.Signal(r.Signal), r.All)
	if err != nil {
		return nil, err
	}
	return &guestpb.SignalResponse{Signaled: uint32(n)}, nil
}

// SessionStatus describes one session, and can wait for its end.
func (g *Guest) SessionStatus(ctx context.Context, r *guestpb.SessionStatusRequest) (*guestpb.SessionInfo, error) {
	table, s, err := g.find(r.SessionId)
	if err != nil {
		return nil, err
	}
	if r.WaitMs > 0 {
		table.Wait(ctx, s, time.Duration(min(r.WaitMs, uint64(waitMost/time.Millisecond)))*time.Millisecond)
	}
	return table.Info(s), nil
}

// ListSessions describes all sessions.
func (g *Guest) ListSessions(context.Context, *guestpb.ListSessionsRequest) (*guestpb.ListSessionsResponse, error) {
	l, err := g.alive()
	if err != nil {
		return nil, err
	}
	return &guestpb.ListSessionsResponse{Sessions: l.sessions.List()}, nil
}

// RemoveSession kills what is left of a session and forgets its output.
func (g *Guest) RemoveSession(_ context.Context, r *guestpb.RemoveSessionRequest) (*guestpb.RemoveSessionResponse, error) {
	table, s, err := g.find(r.SessionId)
	if err != nil {
		return nil, err
	}
	if err := table.Remove(s); err != nil {
		return nil, err
	}
	return &guestpb.RemoveSessionResponse{}, nil
}

func (g *Guest) find(id string) (*session.Table, *session.Session, error) {
	l, err := g.alive()
	if err != nil {
		return nil, nil, err
	}
	s, err := l.sessions.Find(id)
	return l.sessions, s, err
}
