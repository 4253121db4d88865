package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"cortex.dev/native/internal/wire"
)

// served listens on an address of this machine, which a plain neuron shares, and hands each connection on.
func served(t *testing.T, address string, serve func(*net.TCPConn)) string {
	t.Helper()
	listener, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go serve(conn.(*net.TCPConn))
		}
	}()
	return fmt.Sprintf("tcp:%d", listener.Addr().(*net.TCPAddr).Port)
}

// forward opens a forward; its first frame stands in first where it is no HandshakeAck.
func (n *neuron) forward(id string) *client {
	n.t.Helper()
	conn, ack := n.dial(wire.PurposeData, n.token)
	if ack.Status != wire.StatusOK {
		n.t.Fatalf("data stream refused: %+v", ack)
	}
	c := &client{t: n.t, conn: conn, frames: wire.NewReader(bufio.NewReader(conn))}
	c.send(wire.Handshake{Kind: wire.KindForward, ID: id})
	first := c.next()
	if _, ok := first.(wire.HandshakeAck); !ok {
		c.first = first
	}
	return c
}

func (n *neuron) joined(id string) *client {
	n.t.Helper()
	c := n.forward(id)
	if c.first != nil {
		n.t.Fatalf("forward: %+v", c.first)
	}
	return c
}

// drain reads a forward to its last frame.
func (c *client) drain() (got []byte, ended bool, last wire.Frame) {
	c.t.Helper()
	for {
		switch f := c.next().(type) {
		case wire.Data:
			got = append(got, f.Bytes...)
		case wire.Eof:
			ended = true
		default:
			return got, ended, f
		}
	}
}

func (c *client) refusal() wire.Error {
	c.t.Helper()
	e, ok := c.first.(wire.Error)
	if !ok {
		c.t.Fatalf("not refused: %+v", c.first)
	}
	return e
}

func TestEachDirectionOfAForwardEndsByItself(t *testing.T) {
	n := readyNeuron(t)
	c := n.joined(served(t, "127.0.0.1:0", func(conn *net.TCPConn) {
		defer conn.Close()
		asked, _ := io.ReadAll(conn) // answers only once the client has said all
		_, _ = conn.Write(bytes.ToUpper(asked))
	}))
	c.stdin("hel")
	c.stdin("lo")
	c.send(wire.Eof{})
	got, ended, last := c.drain()
	if string(got) != "HELLO" || !ended || last != (wire.Exit{Cause: uint8(exited)}) {
		t.Fatalf("got %q, %v, %+v", got, ended, last)
	}
}

func TestAServerThatEndsFirstStillHearsTheClient(t *testing.T) {
	n := readyNeuron(t)
	heard := make(chan string, 1)
	c := n.joined(served(t, "127.0.0.1:0", func(conn *net.TCPConn) {
		defer conn.Close()
		_, _ = conn.Write([]byte("over"))
		_ = conn.CloseWrite()
		all, _ := io.ReadAll(conn)
		heard <- string(all)
	}))
	var got []byte
	for ended := false; !ended; {
		switch f := c.next().(type) {
		case wire.Data:
			got = append(got, f.Bytes...)
		case wire.Eof:
			ended = true
		default:
			t.Fatalf("got %+v", f)
		}
	}
	c.stdin("late")
	c.send(wire.Eof{})
	if _, _, last := c.drain(); string(got) != "over" || last != (wire.Exit{Cause: uint8(exited)}) || <-heard != "late" {
		t.Fatalf("got %q, %+v", got, last)
	}
}

func TestALargeForwardArrivesWholeBothWaysAtOnce(t *testing.T) {
	n := readyNeuron(t)
	c := n.joined(served(t, "127.0.0.1:0", func(conn *net.TCPConn) {
		defer conn.Close()
		_, _ = io.Copy(conn, conn)
	}))
	payload := make([]byte, 32<<20)
	random := rand.NewChaCha8([32]byte{1})
	_, _ = random.Read(payload)
	go func() {
		for p := payload; len(p) > 0; {
			k := min(len(p), 1+rand.IntN(wire.DataMost))
			if _, err := c.conn.Write(wire.Data{Bytes: p[:k]}.Append(nil)); err != nil {
				t.Error(err)
				return
			}
			p = p[k:]
		}
		_, _ = c.conn.Write(wire.Eof{}.Append(nil))
	}()
	if got, ended, last := c.drain(); !bytes.Equal(got, payload) || !ended || last != (wire.Exit{Cause: uint8(exited)}) {
		t.Fatalf("got %d of %d bytes, %v, %+v", len(got), len(payload), ended, last)
	}
}

func TestAServerOnTheSixthVersionAloneIsFound(t *testing.T) {
	n := readyNeuron(t)
	c := n.joined(served(t, "[::1]:0", func(conn *net.TCPConn) {
		_, _ = conn.Write([]byte("six"))
		_ = conn.Close()
	}))
	c.send(wire.Eof{})
	if got, _, _ := c.drain(); string(got) != "six" {
		t.Fatalf("got %q", got)
	}
}

func TestAPortThatNobodyListensOnIsSaidToBeFree(t *testing.T) {
	n := readyNeuron(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	_ = listener.Close()
	e := n.forward(fmt.Sprintf("tcp:%d", port)).refusal()
	if e.Code != "NOT_READY" || !strings.Contains(e.Message, fmt.Sprintf("nothing listens on port %d", port)) {
		t.Fatalf("got %+v", e)
	}
}

func TestOnlyAPortIsForwardedTo(t *testing.T) {
	n := readyNeuron(t)
	for _, id := range []string{"", "tcp:", "tcp:0", "tcp:65536", "tcp:-1", "tcp:+80", "tcp:080", "udp:80", "80", "tcp:80 ", "tcp:10.0.0.1:80", "unix:/x"} {
		if e := n.forward(id).refusal(); e.Code != "INVALID_ARGUMENT" {
			t.Errorf("%q: got %+v", id, e)
		}
	}
}

func TestAConnectionThatBreaksInsideIsToldApartFromItsEnd(t *testing.T) {
	n := readyNeuron(t)
	c := n.joined(served(t, "127.0.0.1:0", func(conn *net.TCPConn) {
		_, _ = conn.Read(make([]byte, 1))
		_ = conn.SetLinger(0)
		_ = conn.Close()
	}))
	c.stdin("x")
	if _, ended, last := c.drain(); ended {
		t.Fatalf("it was said to have ended, before %+v", last)
	} else if e, ok := last.(wire.Error); !ok || !strings.Contains(e.Message, "reset") {
		t.Fatalf("got %+v", last)
	}
}

func TestAHostThatLeavesBreaksTheConnectionInside(t *testing.T) {
	n := readyNeuron(t)
	ends := make(chan error, 1)
	id := served(t, "127.0.0.1:0", func(conn *net.TCPConn) {
		defer conn.Close()
		_, err := io.Copy(io.Discard, conn)
		ends <- err
	})
	c := n.joined(id)
	c.stdin("half of some")
	_ = c.conn.Close()
	if err := <-ends; !errors.Is(err, syscall.ECONNRESET) {
		t.Fatalf("the server saw %v, which looks like a whole message", err)
	}
	c = n.joined(id)
	c.send(wire.Eof{})
	c.drain()
	if err := <-ends; err != nil {
		t.Fatalf("the server saw %v", err)
	}
}

func TestAHostThatLeavesFreesAConnectionThatIsStuckBothWays(t *testing.T) {
	n := readyNeuron(t)
	ends := make(chan error, 1)
	c := n.joined(served(t, "127.0.0.1:0", func(conn *net.TCPConn) {
		defer conn.Close()
		for {
			if _, err := conn.Write(make([]byte, 1<<20)); err != nil { // and reads nothing
				ends <- err
				return
			}
		}
	}))
	_ = c.conn.SetWriteDeadline(time.Now().Add(time.Second))
	for {
		if _, err := c.conn.Write(wire.Data{Bytes: make([]byte, wire.DataMost)}.Append(nil)); err != nil {
			break
		}
	}
	_ = c.conn.Close()
	select {
	case <-ends:
	case <-time.After(patience):
		t.Fatal("the server's connection stays open")
	}
}

func TestASlowClientSlowsTheServerDown(t *testing.T) {
	n := readyNeuron(t)
	var written atomic.Int64
	const all = 64 << 20
	c := n.joined(served(t, "127.0.0.1:0", func(conn *net.TCPConn) {
		defer conn.Close()
		for chunk := make([]byte, 64<<10); written.Load() < all; written.Add(int64(len(chunk))) {
			if _, err := conn.Write(chunk); err != nil {
				return
			}
		}
	}))
	time.Sleep(300 * time.Millisecond)
	// What sockets hold: their buffers grow to 6 MiB at most.
	if w := written.Load(); w > all/2 {
		t.Fatalf("%d bytes were taken for a client that reads nothing", w)
	}
	c.send(wire.Eof{})
	if got, _, _ := c.drain(); len(got) != all {
		t.Fatalf("got %d of %d bytes", len(got), all)
	}
}

func TestConnectionsIntoASandboxAreBounded(t *testing.T) {
	n := readyNeuron(t)
	id := served(t, "127.0.0.1:0", func(conn *net.TCPConn) {
		_, _ = io.Copy(io.Discard, conn)
		_ = conn.Close()
	})
	var open []*client
	for range 256 {
		open = append(open, n.joined(id))
	}
	if e := n.forward(id).refusal(); e.Code != "CAPACITY" {
		t.Fatalf("got %+v", e)
	}
	_ = open[0].conn.Close()
	until(t, func() bool { return n.forward(id).first == nil }, "a closed connection makes no room")
}

func TestForwardsThatBreakTheProtocolAreEnded(t *testing.T) {
	n := readyNeuron(t)
	id := served(t, "127.0.0.1:0", func(conn *net.TCPConn) {
		_, _ = io.Copy(io.Discard, conn)
		_ = conn.Close()
	})
	hostile := map[string][]byte{
		"data of the guest's":  wire.Data{Tag: wire.TagStdout, Bytes: []byte("x")}.Append(nil),
		"a terminal's size":    wire.Winsize{}.Append(nil),
		"a second handshake":   wire.Handshake{Kind: wire.KindForward, ID: id}.Append(nil),
		"a frame over the cap": {0, 1, 0, 0x41, 3},
		"a guest's frame":      wire.Exit{}.Append(nil),
	}
	for name, bytes := range hostile {
		c := n.joined(id)
		if _, err := c.conn.Write(bytes); err != nil {
			t.Fatal(err)
		}
		if _, _, last := c.drain(); last.(wire.Error).Code != "INVALID_ARGUMENT" {
			t.Errorf("%s: got %+v", name, last)
		}
	}
}
