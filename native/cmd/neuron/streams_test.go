package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"cortex.dev/native/internal/guestpb"
	"cortex.dev/native/internal/wire"
	"github.com/containerd/ttrpc"
)

func TestEachHelloGetsItsAnswer(t *testing.T) {
	n := readyNeuron(t)
	other := wire.Token{1, 2, 3}
	cases := map[string]struct {
		hello wire.Hello
		want  wire.HelloAck
	}{
		"control with the token":     {wire.Hello{Lowest: 1, Highest: 1, Purpose: 1, Token: n.token}, wire.HelloAck{Version: 1}},
		"data with the token":        {wire.Hello{Lowest: 1, Highest: 1, Purpose: 2, Token: n.token}, wire.HelloAck{Version: 1}},
		"a newer host":               {wire.Hello{Lowest: 1, Highest: 9, Purpose: 1, Token: n.token}, wire.HelloAck{Version: 1}},
		"a host that is too new":     {wire.Hello{Lowest: 2, Highest: 9, Purpose: 1, Token: n.token}, wire.HelloAck{Status: 1}},
		"a host that is too old":     {wire.Hello{Lowest: 0, Highest: 0, Purpose: 1, Token: n.token}, wire.HelloAck{Status: 1}},
		"control with another token": {wire.Hello{Lowest: 1, Highest: 1, Purpose: 1, Token: other}, wire.HelloAck{Status: 2}},
		"data with another token":    {wire.Hello{Lowest: 1, Highest: 1, Purpose: 2, Token: other}, wire.HelloAck{Status: 2}},
		"control without a token":    {wire.Hello{Lowest: 1, Highest: 1, Purpose: 1}, wire.HelloAck{Version: 1}},
		"data without a token":       {wire.Hello{Lowest: 1, Highest: 1, Purpose: 2}, wire.HelloAck{Status: 2}},
		"an unknown purpose":         {wire.Hello{Lowest: 1, Highest: 1, Purpose: 7, Token: n.token}, wire.HelloAck{Status: 3}},
	}
	for name, c := range cases {
		conn := n.connect()
		if _, err := conn.Write(c.hello.Append(nil)); err != nil {
			t.Fatal(err)
		}
		if ack := n.readAck(conn); ack != c.want {
			t.Errorf("%s: got %+v", name, ack)
		}
		if c.want.Status != wire.StatusOK && !closesWithin(conn, patience) {
			t.Errorf("%s: the refused stream stays open", name)
		}
	}
}

func TestAStreamThatDoesNotCompleteItsHelloIsClosed(t *testing.T) {
	n := readyNeuron(t)
	silent, slow, handshake := n.connect(), n.connect(), n.connect()
	if _, err := slow.Write([]byte("CRTX")); err != nil {
		t.Fatal(err)
	}
	if _, err := handshake.Write(wire.Hello{Lowest: 1, Highest: 1, Purpose: wire.PurposeData, Token: n.token}.Append(nil)); err != nil {
		t.Fatal(err)
	}
	n.readAck(handshake)
	if wrong := n.connect(); true {
		if _, err := wrong.Write(bytes.Repeat([]byte("GET / HTTP/1.1\r\n"), 3)); err != nil {
			t.Fatal(err)
		}
		if !closesWithin(wrong, 2*time.Second) {
			t.Error("a stream that speaks another protocol stays open")
		}
	}
	for name, conn := range map[string]net.Conn{"silent": silent, "slow": slow, "without a handshake": handshake} {
		if !closesWithin(conn, patience) {
			t.Errorf("%s: the stream stays open", name)
		}
	}
}

func closesWithin(conn net.Conn, d time.Duration) bool {
	_ = conn.SetReadDeadline(time.Now().Add(d))
	_, err := io.Copy(io.Discard, conn)
	return err == nil || !os.IsTimeout(err)
}

func TestInitializeIsRepeatedWithTheSameTokenOnly(t *testing.T) {
	n := readyNeuron(t)
	again := n.control(wire.Token{})
	if _, err := again.ListSessions(context.Background(), &guestpb.ListSessionsRequest{}); codeOf(err) != "NOT_READY" {
		t.Fatalf("a stream without the token got %v", err)
	}
	other := wire.Token{3}
	if _, err := again.Initialize(context.Background(), &guestpb.InitializeRequest{Token: other[:]}); codeOf(err) != "UNAUTHENTICATED" {
		t.Fatalf("another token got %v", err)
	}
	r, err := again.Initialize(context.Background(), &guestpb.InitializeRequest{Token: n.token[:]})
	if err != nil || !r.Already {
		t.Fatalf("got %+v, %v", r, err)
	}
	if _, err := again.ListSessions(context.Background(), &guestpb.ListSessionsRequest{}); err != nil {
		t.Fatalf("a stream that knows the token got %v", err)
	}
	if _, err := n.control(n.token).ListSessions(context.Background(), &guestpb.ListSessionsRequest{}); err != nil {
		t.Fatal(err)
	}
}

func TestInitializeRefusesWhatIsNotInOrder(t *testing.T) {
	cases := map[string]*guestpb.InitializeRequest{
		"no token":               {},
		"a token of zeros":       {Token: make([]byte, 32)},
		"a short token":          {Token: make([]byte, 31)},
		"a relative directory":   {WorkingDirectory: []byte("work")},
		"a home that is none":    {User: &guestpb.User{Name: "a", Home: []byte("home")}},
		"a variable of no form":  {Environment: words("novalue")},
		"a host name of no form": {Hostname: "a b"},
		"a machine id of none":   {MachineId: "xyz"},
		"too much entropy":       {Entropy: make([]byte, 5_000)},
	}
	n := startNeuron(t)
	guest := n.control(wire.Token{})
	for name, r := range cases {
		if r.Token == nil && name != "no token" {
			r.Token = n.token[:]
		}
		if _, err := guest.Initialize(context.Background(), r); codeOf(err) != "INVALID_ARGUMENT" {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if info, err := guest.Info(context.Background(), &guestpb.InfoRequest{}); err != nil || info.Initialized {
		t.Fatalf("got %+v, %v", info, err)
	}
}

func TestInfoTellsOfTheSandbox(t *testing.T) {
	n := readyNeuron(t)
	n.output(&guestpb.ExecRequest{Argv: words("true")})
	n.exec(&guestpb.ExecRequest{Argv: words("sleep", "300")})
	info, err := n.guest.Info(context.Background(), &guestpb.InfoRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if !info.Initialized || !info.Ready || info.Generation != 1 || info.SessionsStarted != 2 || info.SessionsRunning != 1 ||
		info.MemoryUsedBytes == 0 || info.DiskTotalBytes == 0 || info.DiskUsedBytes > info.DiskTotalBytes || info.Processes == 0 ||
		info.NeuronMemoryBytes == 0 {
		t.Fatalf("got %+v", info)
	}
}

// transfer runs a data stream of a prepared copy.
func (n *neuron) transfer(r *guestpb.CopyRequest) *client {
	n.t.Helper()
	if _, err := n.guest.Copy(context.Background(), r); err != nil {
		n.t.Fatalf("copy: %v", err)
	}
	conn, _ := n.dial(wire.PurposeData, n.token)
	c := &client{t: n.t, conn: conn, frames: wire.NewReader(bufio.NewReader(conn))}
	c.send(wire.Handshake{Kind: wire.KindTransfer, ID: r.TransferId})
	if _, ok := c.next().(wire.HandshakeAck); !ok {
		n.t.Fatal("no answer to the handshake")
	}
	return c
}

func TestAFileGoesInAndComesOut(t *testing.T) {
	n := readyNeuron(t)
	path := filepath.Join(t.TempDir(), "a\xff file")
	payload := bytes.Repeat([]byte("0123456789abcde\n"), 100_000)
	push := n.transfer(&guestpb.CopyRequest{TransferId: "t_1", Direction: 1, Shape: 1, Path: []byte(path), Mode: 0o640})
	for p := payload; len(p) > 0; p = p[min(len(p), wire.DataMost):] {
		push.send(wire.Data{Bytes: p[:min(len(p), wire.DataMost)]})
	}
	push.send(wire.Eof{})
	if r := push.finish(); r.exit == nil || *r.exit != (wire.Exit{Cause: uint8(exited)}) {
		t.Fatalf("got %+v", r)
	}
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, payload) {
		t.Fatalf("%d bytes arrived, %v", len(got), err)
	}
	pull := n.transfer(&guestpb.CopyRequest{TransferId: "t_2", Direction: 2, Shape: 1, Path: []byte(path), Offset: 16, Length: 32})
	if f, ok := pull.next().(wire.Data); !ok || f.Tag != wire.TagStdout || !bytes.Equal(f.Bytes, payload[16:48]) {
		t.Fatalf("got %+v", f)
	}
	if f := pull.next(); f != (wire.Eof{}) {
		t.Fatalf("got %+v", f)
	}
	if f := pull.next(); f != (wire.Exit{Cause: uint8(exited)}) {
		t.Fatalf("got %+v", f)
	}
}

func TestATransferThatBreaksOffLeavesTheOldFile(t *testing.T) {
	n := readyNeuron(t)
	path := filepath.Join(t.TempDir(), "file")
	write(t, path, "old", 0o644)
	push := n.transfer(&guestpb.CopyRequest{TransferId: "t_1", Direction: 1, Shape: 1, Path: []byte(path)})
	push.send(wire.Data{Bytes: []byte("new")})
	_ = push.conn.Close()
	odd := n.transfer(&guestpb.CopyRequest{TransferId: "t_2", Direction: 1, Shape: 1, Path: []byte(path)})
	odd.send(wire.Data{Bytes: []byte("new")})
	odd.send(wire.Winsize{Rows: 1})
	if r := odd.finish(); r.failure == nil || r.failure.Code != "INVALID_ARGUMENT" {
		t.Fatalf("got %+v", r)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "old" {
		t.Fatalf("got %q, %v", got, err)
	}
	unknown := n.tryAttach("t_3", wire.ModeObserve, 0)
	if e, ok := unknown.first.(wire.Error); !ok || e.Code != "NOT_FOUND" {
		t.Fatalf("got %+v", unknown.first)
	}
}

func TestManyCallsOnOneStreamAtOnceAreAnsweredEachForItself(t *testing.T) {
	n := readyNeuron(t)
	info := n.exec(&guestpb.ExecRequest{Argv: words("sleep", "0.2")})
	waits := make(chan error, 50)
	for range 50 {
		go func() {
			got, err := n.guest.SessionStatus(context.Background(), &guestpb.SessionStatusRequest{SessionId: info.Id, WaitMs: 30_000})
			if err == nil && got.EndedMs == 0 {
				err = io.ErrUnexpectedEOF
			}
			waits <- err
		}()
	}
	if _, err := n.guest.Info(context.Background(), &guestpb.InfoRequest{}); err != nil {
		t.Fatal(err)
	}
	for range 50 {
		if err := <-waits; err != nil {
			t.Fatal(err)
		}
	}
}

func TestAMessageOverTheCapIsRefusedAndTheStreamGoesOn(t *testing.T) {
	n := readyNeuron(t)
	conn, _ := n.dial(wire.PurposeControl, n.token)
	client := ttrpc.NewClient(conn)
	defer client.Close()
	guest := guestpb.NewGuestClient(client)
	_, err := guest.Exec(context.Background(), &guestpb.ExecRequest{SessionId: "s_1", Argv: [][]byte{make([]byte, 5<<20)}})
	if err == nil {
		t.Fatal("it was taken")
	}
	if _, err := n.guest.Info(context.Background(), &guestpb.InfoRequest{}); err != nil {
		t.Fatal(err)
	}
}
