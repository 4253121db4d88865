package egress

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync/atomic"
	"time"

	"cortex.dev/native/internal/guestpb"
	"golang.org/x/sys/unix"
)

const (
	// connectionsMost are carried or waited for at once; what comes beyond waits a little for its turn.
	connectionsMost = 256
	queueMost       = 1_024
	turnWithin      = 2 * time.Second
	headWithin      = 15 * time.Second
	headBuffer      = 4 << 10
	acceptPause     = 20 * time.Millisecond
	// halfClosedWithin is how long a plain request that has ended its half waits to be decided: most that
	// do have gone, and a turn is not theirs for the minute and a half that a person may take.
	halfClosedWithin = 5 * time.Second
	// lastWords is how long a program that was refused may take to listen.
	lastWords = 2 * time.Second
)

// Proxy is the HTTP proxy of a sandbox's programs.
type Proxy struct {
	gate    *Gate
	origins *origins
	turns   chan struct{}
	queued  atomic.Int32
}

// NewProxy makes a proxy that asks the gate.
func NewProxy(gate *Gate, owners Owners) *Proxy {
	return &Proxy{gate: gate, origins: newOrigins(owners), turns: make(chan struct{}, connectionsMost)}
}

// Listen opens the proxy's port.
func Listen() (net.Listener, error) {
	l, err := net.Listen("tcp4", fmt.Sprintf("%s:%d", proxyHost, Port))
	if err != nil {
		return nil, fmt.Errorf("listen for the sandbox's programs: %w", err)
	}
	return l, nil
}

// Run serves programs until the listener is closed.
func (p *Proxy) Run(l net.Listener) {
	for {
		conn, err := l.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			time.Sleep(acceptPause)
			continue
		}
		c, ok := conn.(*net.TCPConn)
		if !ok || p.queued.Load() >= queueMost {
			_ = full().write(conn) // into an empty buffer: it does not block
			_ = conn.Close()
			continue
		}
		p.queued.Add(1)
		go p.serve(c)
	}
}

func full() response {
	return response{status: 503, text: "cortex: too many connections at once", code: "CAPACITY"}
}

func (p *Proxy) serve(c *net.TCPConn) {
	defer c.Close()
	turn := p.takeTurn()
	p.queued.Add(-1)
	if !turn {
		refuse(c, full())
		return
	}
	defer func() { <-p.turns }()
	_ = c.SetReadDeadline(time.Now().Add(headWithin))
	rest := bufio.NewReaderSize(c, headBuffer)
	h, err := readHead(rest)
	if err != nil {
		if r, told := headResponse(err); told {
			refuse(c, r)
		}
		return
	}
	_ = c.SetReadDeadline(time.Time{})
	if h.method == "CONNECT" {
		p.connect(c, h, rest)
	} else {
		p.carry(c, h, rest)
	}
}

func (p *Proxy) takeTurn() bool {
	select {
	case p.turns <- struct{}{}:
		return true
	default:
	}
	late := time.NewTimer(turnWithin)
	defer late.Stop()
	select {
	case p.turns <- struct{}{}:
		return true
	case <-late.C:
		return false
	}
}

func headResponse(err error) (response, bool) {
	var malformed *badRequest
	switch {
	case errors.As(err, &malformed):
		return answerTo(err), true
	case isTimeout(err):
		return response{status: 408, text: "cortex: the request did not come", code: "DEADLINE"}, true
	default:
		return response{}, false
	}
}

// connect makes a tunnel.
func (p *Proxy) connect(c *net.TCPConn, h head, rest *bufio.Reader) {
	to, err := parseAuthority(h.target)
	if err == nil && to.port == 0 {
		err = bad("CONNECT names no port")
	}
	if err != nil {
		refuse(c, answerTo(err))
		return
	}
	// One that only has ended its half is taken for gone too: it could not use a tunnel.
	stream, err := p.askWatching(c, Request{Host: to.host, Port: to.port, Via: guestpb.Via_VIA_CONNECT, Origin: p.origins.of(c)}, 0)
	if err != nil {
		refuse(c, answerTo(err))
		return
	}
	t := &tunnel{client: c, stream: stream}
	// Before anything of the remote, which may be the first to speak.
	if _, err := io.WriteString(c, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		t.fail(errClientGone)
		stream.Finish(t.end())
		return
	}
	stream.Finish(t.run(func() error { return t.copyUp(rest) }, false))
}

// carry sends one plain request on, and its response back.
func (p *Proxy) carry(c *net.TCPConn, h head, rest *bufio.Reader) {
	request, err := plainRequest(h, rest)
	if err != nil {
		refuse(c, answerTo(err))
		return
	}
	stream, err := p.askWatching(c, Request{
		Host: request.to.host, Port: request.to.port, Via: guestpb.Via_VIA_HTTP, Method: h.method, Origin: p.origins.of(c),
	}, halfClosedWithin)
	if err != nil {
		refuse(c, answerTo(err))
		return
	}
	t := &tunnel{client: c, stream: stream}
	stream.Finish(t.run(func() error {
		if err := t.sendHead(request.head); err != nil {
			return err
		}
		if err := t.copyUp(request.body); err != nil {
			return err
		}
		discard(rest)
		return nil
	}, true))
}

// askWatching gives up when the program does: so long after it has ended its half, because one that goes away and
// one that has nothing more to say look the same.
func (p *Proxy) askWatching(c *net.TCPConn, r Request, patience time.Duration) (*Stream, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	raw, err := c.SyscallConn()
	if err != nil {
		return nil, err
	}
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		if raw.Read(hungUp) != nil {
			return
		}
		late := time.NewTimer(patience)
		defer late.Stop()
		select {
		case <-late.C:
			cancel()
		case <-ctx.Done():
		}
	}()
	stream, err := p.gate.Ask(ctx, r)
	cancel()
	_ = c.SetReadDeadline(time.Now())
	<-watched
	_ = c.SetReadDeadline(time.Time{})
	return stream, err
}

// hungUp says whether the peer has closed its end, whatever it sent before.
func hungUp(fd uintptr) bool {
	fds := [1]unix.PollFd{{Fd: int32(fd), Events: unix.POLLRDHUP}}
	n, err := unix.Poll(fds[:], 0)
	return err == nil && n > 0
}

// refuse answers, and lets the program read that: closing a socket that holds unread bytes would
// destroy the answer.
func refuse(c *net.TCPConn, r response) {
	_ = c.SetDeadline(time.Now().Add(lastWords))
	if r.write(c) == nil && c.CloseWrite() == nil {
		discard(c)
	}
}
