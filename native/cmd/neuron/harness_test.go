package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"cortex.dev/native/internal/guestpb"
	"cortex.dev/native/internal/sudo"
	"cortex.dev/native/internal/wire"
	"github.com/containerd/ttrpc"
	"google.golang.org/grpc/status"
)

// The tests run against a neuron in a process of its own, which is this very binary.
const runAsNeuron = "CORTEX_TEST_RUN_AS_NEURON"

func TestMain(m *testing.M) {
	asSudo := filepath.Base(os.Args[0]) == "sudo" || len(os.Args) > 1 && os.Args[1] == sudo.SessionVerb
	if os.Getenv(runAsNeuron) != "" || asSudo {
		os.Exit(run(os.Args))
	}
	os.Exit(m.Run())
}

// patience is ten times what a step takes on a busy machine, or on an emulated one.
const patience = 2 * time.Minute

// lifetime ends what nothing else would: a stream that says nothing fails its test, and does not hang it.
const lifetime = 2 * patience

type neuron struct {
	t       testing.TB
	command *exec.Cmd
	socket  string
	token   wire.Token
	log     *bytes.Buffer
	guest   guestpb.GuestService
	ids     atomic.Int64
}

// prepareNeuron makes the command of a plain neuron.
func prepareNeuron(t testing.TB, arguments ...string) *neuron {
	t.Helper()
	n := &neuron{t: t, socket: filepath.Join(t.TempDir(), "n"), log: &bytes.Buffer{}}
	n.token[0], n.token[31] = 7, 9
	args := append([]string{"serve", "--listen", n.socket, "--mark", fmt.Sprint(os.Getpid())}, arguments...)
	n.command = exec.Command(os.Args[0], args...)
	n.command.Env = append(os.Environ(), runAsNeuron+"=1")
	n.command.Stderr = n.log
	return n
}

func (n *neuron) start() {
	n.t.Helper()
	n.command.WaitDelay = patience // for whoever else holds its standard error
	if err := n.command.Start(); err != nil {
		n.t.Fatal(err)
	}
	n.t.Cleanup(func() {
		if n.guest != nil {
			_, _ = n.guest.Shutdown(context.Background(), &guestpb.ShutdownRequest{GraceMs: 1})
		}
		_ = n.command.Process.Kill()
		ended := n.command.Wait()
		if strings.Contains(n.log.String(), "DATA RACE") {
			n.t.Error("the neuron has a data race")
		}
		if n.t.Failed() {
			n.t.Log("the neuron ended with", ended, "and said", n.log.String())
		}
	})
}

func (n *neuron) initialize(change ...func(*guestpb.InitializeRequest)) {
	n.t.Helper()
	n.guest = n.control(wire.Token{})
	request := &guestpb.InitializeRequest{
		Token: n.token[:], Generation: 1, WorkingDirectory: []byte(n.t.TempDir()),
		Environment: [][]byte{[]byte("PATH=/usr/local/bin:/usr/bin:/bin"), []byte("BASE=yes")},
	}
	for _, c := range change {
		c(request)
	}
	if _, err := n.guest.Initialize(context.Background(), request); err != nil {
		n.t.Fatal(err)
	}
}

// startNeuron starts a plain neuron that is not initialized.
func startNeuron(t testing.TB) *neuron {
	t.Helper()
	n := prepareNeuron(t, "--plain")
	n.start()
	return n
}

// readyNeuron starts a plain neuron and initializes it.
func readyNeuron(t testing.TB, change ...func(*guestpb.InitializeRequest)) *neuron {
	t.Helper()
	n := startNeuron(t)
	n.initialize(change...)
	return n
}

// dial opens a stream and returns the answer to its Hello.
func (n *neuron) dial(purpose wire.Purpose, token wire.Token) (net.Conn, wire.HelloAck) {
	n.t.Helper()
	conn := n.connect()
	if _, err := conn.Write(wire.Hello{Lowest: 1, Highest: 1, Purpose: purpose, Token: token}.Append(nil)); err != nil {
		n.t.Fatal(err)
	}
	return conn, n.readAck(conn)
}

func (n *neuron) readAck(conn net.Conn) wire.HelloAck {
	n.t.Helper()
	answer := make([]byte, wire.HelloAckSize)
	_ = conn.SetReadDeadline(time.Now().Add(patience))
	if _, err := readFull(conn, answer); err != nil {
		n.t.Fatalf("no answer to the hello: %v", err)
	}
	_ = conn.SetReadDeadline(time.Now().Add(lifetime))
	ack, err := wire.DecodeHelloAck(answer)
	if err != nil {
		n.t.Fatal(err)
	}
	return ack
}

func (n *neuron) connect() net.Conn {
	n.t.Helper()
	for end := time.Now().Add(patience); ; {
		conn, err := net.Dial("unix", n.socket)
		if err == nil {
			n.t.Cleanup(func() { _ = conn.Close() })
			return conn
		}
		if time.Now().After(end) {
			n.t.Fatal(err)
		}
		time.Sleep(time.Millisecond)
	}
}

func (n *neuron) control(token wire.Token) guestpb.GuestService {
	n.t.Helper()
	conn, ack := n.dial(wire.PurposeControl, token)
	if ack.Status != wire.StatusOK {
		n.t.Fatalf("control stream refused: %+v", ack)
	}
	_ = conn.SetReadDeadline(time.Time{}) // each call has a deadline of its own
	client := ttrpc.NewClient(conn, ttrpc.WithUnaryClientInterceptor(withinLifetime))
	n.t.Cleanup(func() { _ = client.Close() })
	return guestpb.NewGuestClient(client)
}

// withinLifetime gives a deadline to a call that has none.
func withinLifetime(
	ctx context.Context, request *ttrpc.Request, response *ttrpc.Response, _ *ttrpc.UnaryClientInfo, call ttrpc.Invoker,
) error {
	ctx, cancel := context.WithTimeout(ctx, lifetime)
	defer cancel()
	return call(ctx, request, response)
}

func (n *neuron) newID() string { return fmt.Sprintf("s_%016d", n.ids.Add(1)) }

func shell(script string) [][]byte {
	return [][]byte{[]byte("sh"), []byte("-c"), []byte(script)}
}

func words(w ...string) [][]byte {
	argv := make([][]byte, len(w))
	for i := range w {
		argv[i] = []byte(w[i])
	}
	return argv
}

// exec starts a session and fails the test when the call fails.
func (n *neuron) exec(r *guestpb.ExecRequest) *guestpb.SessionInfo {
	n.t.Helper()
	if r.SessionId == "" {
		r.SessionId = n.newID()
	}
	response, err := n.guest.Exec(context.Background(), r)
	if err != nil {
		n.t.Fatalf("exec: %v", err)
	}
	return response.Session
}

// await waits for a session's end.
func (n *neuron) await(id string) *guestpb.SessionInfo {
	n.t.Helper()
	info, err := n.guest.SessionStatus(context.Background(), &guestpb.SessionStatusRequest{
		SessionId: id, WaitMs: uint64(patience / time.Millisecond),
	})
	if err != nil {
		n.t.Fatalf("status: %v", err)
	}
	if info.EndedMs == 0 {
		n.t.Fatalf("session %s has not ended within %s: %+v", id, patience, info)
	}
	return info
}

// client is one attached stream.
type client struct {
	t      testing.TB
	conn   net.Conn
	frames *wire.Reader
	ack    wire.HandshakeAck
	first  wire.Frame
	cursor uint64
}

// result is what a client saw.
type result struct {
	stdout, stderr []byte
	exit           *wire.Exit
	failure        *wire.Error
	gaps           []uint64
	cursor         uint64
}

func (n *neuron) attach(id string, mode wire.Mode, cursor uint64) *client {
	n.t.Helper()
	c := n.tryAttach(id, mode, cursor)
	if c.first != nil {
		n.t.Fatalf("attach: %+v", c.first)
	}
	return c
}

// tryAttach returns a client whose first frame is kept where it is no HandshakeAck.
func (n *neuron) tryAttach(id string, mode wire.Mode, cursor uint64) *client {
	n.t.Helper()
	conn, ack := n.dial(wire.PurposeData, n.token)
	if ack.Status != wire.StatusOK {
		n.t.Fatalf("data stream refused: %+v", ack)
	}
	c := &client{t: n.t, conn: conn, frames: wire.NewReader(bufio.NewReader(conn)), cursor: cursor}
	c.send(wire.Handshake{Kind: wire.KindAttach, Mode: mode, Cursor: cursor, ID: id})
	frame, err := c.frames.Next()
	if err != nil {
		n.t.Fatal(err)
	}
	if got, ok := frame.(wire.HandshakeAck); ok {
		c.ack = got
		if cursor == wire.CursorLive {
			c.cursor = got.Newest
		}
	} else {
		c.first = frame
	}
	return c
}

func (c *client) send(f wire.Frame) {
	c.t.Helper()
	if _, err := c.conn.Write(f.Append(nil)); err != nil {
		c.t.Fatalf("send %T: %v", f, err)
	}
}

func (c *client) stdin(text string) { c.send(wire.Data{Tag: wire.TagStdin, Bytes: []byte(text)}) }

// next reads one frame.
func (c *client) next() wire.Frame {
	c.t.Helper()
	_ = c.conn.SetReadDeadline(time.Now().Add(patience))
	frame, err := c.frames.Next()
	if err != nil {
		c.t.Fatalf("after cursor %d: %v", c.cursor, err)
	}
	return frame
}

// readUntil reads until stdout holds the text, and returns what was read.
func (c *client) readUntil(text string) string {
	c.t.Helper()
	var got []byte
	defer func() {
		if c.t.Failed() {
			c.t.Logf("waited for %q, and got %q", text, got)
		}
	}()
	for !strings.Contains(string(got), text) {
		switch f := c.next().(type) {
		case wire.Data:
			got = append(got, f.Bytes...)
			c.cursor += uint64(len(f.Bytes))
		case wire.Exit:
			c.t.Fatalf("ended with %+v, output %q", f, got)
		case wire.Error:
			c.t.Fatalf("failed with %+v, output %q", f, got)
		}
	}
	return string(got)
}

// finish reads to the end of the stream.
func (c *client) finish() result {
	c.t.Helper()
	var r result
	for {
		switch f := c.next().(type) {
		case wire.Data:
			if f.Tag == wire.TagStderr {
				r.stderr = append(r.stderr, f.Bytes...)
			} else {
				r.stdout = append(r.stdout, f.Bytes...)
			}
			c.cursor += uint64(len(f.Bytes))
		case wire.Gap:
			r.gaps = append(r.gaps, f.Cursor)
			c.cursor = f.Cursor
		case wire.Exit:
			r.exit, r.cursor = &f, c.cursor
			return r
		case wire.Error:
			r.failure, r.cursor = &f, c.cursor
			return r
		default:
			c.t.Fatalf("unexpected %T", f)
		}
	}
}

// output runs a command to its end with a holder from the start.
func (n *neuron) output(r *guestpb.ExecRequest) result {
	n.t.Helper()
	r.Claim = true
	info := n.exec(r)
	c := n.attach(info.Id, wire.ModeHold, 0)
	defer c.conn.Close()
	return c.finish()
}

func readFull(conn net.Conn, b []byte) (int, error) {
	read := 0
	for read < len(b) {
		k, err := conn.Read(b[read:])
		read += k
		if err != nil {
			return read, err
		}
	}
	return read, nil
}

// codeOf is the code in the ErrorDetail of a failed call.
func codeOf(err error) string {
	for _, d := range status.Convert(err).Details() {
		if detail, ok := d.(*guestpb.ErrorDetail); ok {
			return detail.Code
		}
	}
	return ""
}
