package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"cortex.dev/native/internal/guestpb"
	"cortex.dev/native/internal/wire"
)

// counting writes 1, 2, … n, a line each.
func counting(n int) [][]byte { return words("seq", fmt.Sprint(n)) }

func sequence(n int) []byte {
	var b bytes.Buffer
	for i := 1; i <= n; i++ {
		fmt.Fprintln(&b, i)
	}
	return b.Bytes()
}

func TestAHolderLosesNothingHoweverSlowItIs(t *testing.T) {
	n := readyNeuron(t, func(r *guestpb.InitializeRequest) { r.RingBytes = 64 << 10 })
	info := n.exec(&guestpb.ExecRequest{Argv: counting(300_000), Claim: true})
	c := n.attach(info.Id, wire.ModeHold, 0)
	time.Sleep(100 * time.Millisecond) // the process has filled ring, socket and pipe by now
	r := c.finish()
	if !bytes.Equal(r.stdout, sequence(300_000)) || len(r.gaps) > 0 {
		t.Fatalf("got %d bytes with gaps %v", len(r.stdout), r.gaps)
	}
}

func TestWithoutAHolderTheProcessIsNotStoppedAndAReaderGetsAGap(t *testing.T) {
	n := readyNeuron(t, func(r *guestpb.InitializeRequest) { r.RingBytes = 64 << 10 })
	info := n.exec(&guestpb.ExecRequest{Argv: counting(300_000)})
	ended := n.await(info.Id)
	all := sequence(300_000)
	if ended.Newest != uint64(len(all)) || ended.Newest-ended.Oldest > 64<<10 || ended.Newest-ended.Oldest < 32<<10 {
		t.Fatalf("got %+v", ended)
	}
	r := n.attach(info.Id, wire.ModeObserve, 0).finish()
	if len(r.gaps) != 1 || r.gaps[0] != ended.Oldest || !bytes.Equal(r.stdout, all[ended.Oldest:]) {
		t.Fatalf("got %d bytes after %v", len(r.stdout), r.gaps)
	}
}

func TestAClientThatComesBackContinuesWhereItWasWithoutLossOrRepetition(t *testing.T) {
	n := readyNeuron(t)
	const most = 400_000
	info := n.exec(&guestpb.ExecRequest{Argv: counting(most), Claim: true})
	var got []byte
	cursor := uint64(0)
	for round := 0; ; round++ {
		c := n.attach(info.Id, wire.ModeTakeOver, cursor)
		ended := false
		for range 3 + round {
			switch f := c.next().(type) {
			case wire.Data:
				got = append(got, f.Bytes...)
				cursor += uint64(len(f.Bytes))
			case wire.Gap:
				t.Fatalf("bytes were lost up to %d", f.Cursor)
			case wire.Exit:
				ended = true
			}
			if ended {
				break
			}
		}
		_ = c.conn.Close() // whatever is in flight now is lost
		if ended {
			break
		}
	}
	if !bytes.Equal(got, sequence(most)) {
		t.Fatalf("got %d bytes with digest %x", len(got), sha256.Sum256(got))
	}
}

func TestAClaimMakesTheProcessWaitForItsFirstHolder(t *testing.T) {
	n := readyNeuron(t, func(r *guestpb.InitializeRequest) { r.RingBytes = 64 << 10 })
	info := n.exec(&guestpb.ExecRequest{Argv: counting(300_000), Claim: true})
	time.Sleep(200 * time.Millisecond)
	status, err := n.guest.SessionStatus(context.Background(), &guestpb.SessionStatusRequest{SessionId: info.Id})
	if err != nil || status.EndedMs != 0 || status.Oldest != 0 {
		t.Fatalf("the process did not wait: %+v, %v", status, err)
	}
	if r := n.attach(info.Id, wire.ModeHold, 0).finish(); !bytes.Equal(r.stdout, sequence(300_000)) {
		t.Fatalf("got %d bytes", len(r.stdout))
	}
}

func TestASecondHolderIsRefusedUntilItTakesOver(t *testing.T) {
	n := readyNeuron(t)
	info := n.exec(&guestpb.ExecRequest{Argv: words("cat"), Stdin: true, Claim: true})
	first := n.attach(info.Id, wire.ModeHold, 0)
	first.stdin("one\n")
	first.readUntil("one\n")
	second := n.tryAttach(info.Id, wire.ModeHold, 0)
	if e, ok := second.first.(wire.Error); !ok || e.Code != "BUSY" {
		t.Fatalf("got %+v", second.first)
	}
	third := n.attach(info.Id, wire.ModeTakeOver, 4)
	if third.ack.StdinAccepted != 4 {
		t.Fatalf("got %+v", third.ack)
	}
	if r := first.finish(); r.failure == nil || r.failure.Code != "BUSY" {
		t.Fatalf("the old holder got %+v", r)
	}
	third.stdin("two\n")
	third.readUntil("two\n")
	third.send(wire.StdinClose{})
	if r := third.finish(); r.exit == nil || r.exit.Code != 0 {
		t.Fatalf("got %+v", r)
	}
}

func TestAHoldThatIsTakenFromAClientThatDoesNotReadIsFreeSoon(t *testing.T) {
	n := readyNeuron(t)
	info := n.exec(&guestpb.ExecRequest{Argv: words("yes"), Claim: true})
	n.attach(info.Id, wire.ModeHold, 0) // and never reads
	time.Sleep(50 * time.Millisecond)
	c := n.attach(info.Id, wire.ModeTakeOver, wire.CursorLive)
	for range 100 {
		if _, ok := c.next().(wire.Data); !ok {
			t.Fatal("no data")
		}
	}
}

func TestTwoClientsSeeOneSession(t *testing.T) {
	n := readyNeuron(t)
	info := n.exec(&guestpb.ExecRequest{Argv: shell("read x; seq 1000; echo $x >&2"), Stdin: true, Claim: true})
	holder, observer := n.attach(info.Id, wire.ModeHold, 0), n.attach(info.Id, wire.ModeObserve, 0)
	status, err := n.guest.SessionStatus(context.Background(), &guestpb.SessionStatusRequest{SessionId: info.Id})
	if err != nil || !status.Held || status.Observers != 1 {
		t.Fatalf("got %+v, %v", status, err)
	}
	holder.stdin("go\n")
	for _, c := range []*client{holder, observer} {
		if r := c.finish(); !bytes.Equal(r.stdout, sequence(1000)) || string(r.stderr) != "go\n" || r.exit == nil {
			t.Fatalf("got %d bytes, %q, %+v", len(r.stdout), r.stderr, r.exit)
		}
	}
}

func TestAnObserverMayNotTouchTheSession(t *testing.T) {
	n := readyNeuron(t)
	info := n.exec(&guestpb.ExecRequest{Argv: words("cat"), Stdin: true})
	for _, frame := range []wire.Frame{wire.Data{Bytes: []byte("x")}, wire.Winsize{Rows: 1, Columns: 1}, wire.StdinClose{}} {
		c := n.attach(info.Id, wire.ModeObserve, 0)
		c.send(frame)
		if r := c.finish(); r.failure == nil || r.failure.Code != "DENIED" {
			t.Errorf("%T: got %+v", frame, r)
		}
	}
	status, err := n.guest.SessionStatus(context.Background(), &guestpb.SessionStatusRequest{SessionId: info.Id})
	if err != nil || status.EndedMs != 0 {
		t.Fatalf("got %+v, %v", status, err)
	}
}

func TestASlowObserverDoesNotStopTheProcess(t *testing.T) {
	n := readyNeuron(t)
	info := n.exec(&guestpb.ExecRequest{Argv: words("head", "-c", "30000000", "/dev/zero")})
	observer := n.attach(info.Id, wire.ModeObserve, 0)
	if ended := n.await(info.Id); ended.Newest != 30_000_000 {
		t.Fatalf("got %+v", ended)
	}
	r := observer.finish()
	if len(r.gaps) == 0 || r.cursor != 30_000_000 || r.exit == nil {
		t.Fatalf("got cursor %d, gaps %v", r.cursor, r.gaps)
	}
}

func TestACursorAheadOfTheNewestIsRefused(t *testing.T) {
	n := readyNeuron(t)
	info := n.exec(&guestpb.ExecRequest{Argv: words("echo")})
	n.await(info.Id)
	for _, mode := range []wire.Mode{wire.ModeObserve, wire.ModeHold} {
		c := n.tryAttach(info.Id, mode, 2)
		if e, ok := c.first.(wire.Error); !ok || e.Code != "INVALID_ARGUMENT" {
			t.Fatalf("got %+v", c.first)
		}
	}
	if c := n.tryAttach("s_unknown", wire.ModeHold, 0); c.first.(wire.Error).Code != "NOT_FOUND" {
		t.Fatalf("got %+v", c.first)
	}
}

func TestStdinIsCountedSoThatAHolderCanSendOnFromThere(t *testing.T) {
	n := readyNeuron(t)
	// The process takes nothing until it is told, so that pipe and queue fill.
	info := n.exec(&guestpb.ExecRequest{Argv: shell("while [ ! -e go ]; do sleep 0.01; done; sha256sum"), Stdin: true, Claim: true})
	payload := bytes.Repeat([]byte("0123456789abcdef"), 32_768) // 512 KiB
	c := n.attach(info.Id, wire.ModeHold, 0)
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		_ = c.conn.SetWriteDeadline(time.Now().Add(300 * time.Millisecond))
		for p := payload; len(p) > 0; p = p[min(len(p), wire.DataMost):] {
			if _, err := c.conn.Write(wire.Data{Bytes: p[:min(len(p), wire.DataMost)]}.Append(nil)); err != nil {
				return
			}
		}
	}()
	<-sent
	_ = c.conn.Close()
	again := n.attach(info.Id, wire.ModeTakeOver, 0)
	accepted := again.ack.StdinAccepted
	if accepted == 0 || accepted > 70_000 {
		t.Fatalf("a pipe took %d bytes", accepted)
	}
	n.output(&guestpb.ExecRequest{Argv: words("touch", "go")})
	for p := payload[accepted:]; len(p) > 0; p = p[min(len(p), wire.DataMost):] {
		again.send(wire.Data{Bytes: p[:min(len(p), wire.DataMost)]})
	}
	again.send(wire.StdinClose{})
	r := again.finish()
	if want := fmt.Sprintf("%x", sha256.Sum256(payload)); !strings.HasPrefix(string(r.stdout), want) {
		t.Fatalf("got %q, want %s", r.stdout, want)
	}
}

func TestALargeInputAndOutputPassThroughAtOnce(t *testing.T) {
	n := readyNeuron(t)
	info := n.exec(&guestpb.ExecRequest{Argv: words("cat"), Stdin: true, Claim: true})
	c := n.attach(info.Id, wire.ModeHold, 0)
	payload := bytes.Repeat([]byte{0, 0xff, '\n', 'x'}, 4<<20)
	go func() {
		for p := payload; len(p) > 0; p = p[min(len(p), wire.DataMost):] {
			if _, err := c.conn.Write(wire.Data{Bytes: p[:min(len(p), wire.DataMost)]}.Append(nil)); err != nil {
				t.Error(err)
				return
			}
		}
		_, _ = c.conn.Write(wire.StdinClose{}.Append(nil))
	}()
	if r := c.finish(); !bytes.Equal(r.stdout, payload) {
		t.Fatalf("got %d of %d bytes", len(r.stdout), len(payload))
	}
}

func TestAProcessThatClosesItsStdinDoesNotBlockTheClient(t *testing.T) {
	n := readyNeuron(t)
	info := n.exec(&guestpb.ExecRequest{Argv: shell("exec 0<&-; while [ ! -e go ]; do sleep 0.01; done; echo over"), Stdin: true, Claim: true})
	c := n.attach(info.Id, wire.ModeHold, 0)
	time.Sleep(100 * time.Millisecond)
	for range 30 {
		c.send(wire.Data{Bytes: make([]byte, wire.DataMost)})
	}
	n.output(&guestpb.ExecRequest{Argv: words("touch", "go")})
	if r := c.finish(); string(r.stdout) != "over\n" {
		t.Fatalf("got %+v", r)
	}
}

func TestStreamsThatBreakTheProtocolAreEnded(t *testing.T) {
	n := readyNeuron(t)
	info := n.exec(&guestpb.ExecRequest{Argv: words("cat"), Stdin: true})
	hostile := map[string][]byte{
		"a frame over the cap":      {0, 1, 0, 0x41, 3},
		"an unknown type":           {0, 0, 0, 0, 77},
		"no handshake":              wire.StdinClose{}.Append(nil),
		"a guest's frame":           wire.Exit{}.Append(nil),
		"an unknown kind of stream": wire.Handshake{Kind: wire.KindEvents, ID: info.Id}.Append(nil),
	}
	for name, bytes := range hostile {
		conn, _ := n.dial(wire.PurposeData, n.token)
		if _, err := conn.Write(bytes); err != nil {
			t.Fatal(err)
		}
		_ = conn.SetReadDeadline(time.Now().Add(patience))
		r := wire.NewReader(conn)
		frame, err := r.Next()
		if e, ok := frame.(wire.Error); !ok {
			t.Errorf("%s: got %+v, %v", name, frame, err)
		} else if _, err := r.Next(); err != io.EOF {
			t.Errorf("%s: after %+v came %v", name, e, err)
		}
	}
}

func TestAHolderThatGoesWhileItsInputWaitsGivesItsHoldUp(t *testing.T) {
	n := readyNeuron(t)
	info := n.exec(&guestpb.ExecRequest{Argv: shell("while [ ! -e go ]; do sleep 0.01; done; wc -c"), Stdin: true, Claim: true})
	c := n.attach(info.Id, wire.ModeHold, 0)
	_ = c.conn.SetWriteDeadline(time.Now().Add(300 * time.Millisecond))
	for {
		if _, err := c.conn.Write(wire.Data{Bytes: make([]byte, wire.DataMost)}.Append(nil)); err != nil {
			break // the process takes nothing: pipe, queue and socket are full
		}
	}
	_ = c.conn.Close()
	until(t, func() bool {
		status, err := n.guest.SessionStatus(context.Background(), &guestpb.SessionStatusRequest{SessionId: info.Id})
		return err == nil && !status.Held
	}, "the hold is still taken")
	again := n.attach(info.Id, wire.ModeHold, 0)
	n.output(&guestpb.ExecRequest{Argv: words("touch", "go")})
	again.send(wire.StdinClose{})
	if r := again.finish(); strings.TrimSpace(string(r.stdout)) != fmt.Sprint(again.ack.StdinAccepted) {
		t.Fatalf("got %q after %d accepted", r.stdout, again.ack.StdinAccepted)
	}
}

func TestKillingAllReachesEveryDescendant(t *testing.T) {
	n := readyNeuron(t)
	info := n.exec(&guestpb.ExecRequest{Argv: shell("(setsid sleep 300 &); echo on; sleep 300")})
	n.attach(info.Id, wire.ModeObserve, 0).readUntil("on\n")
	r, err := n.guest.Signal(context.Background(), &guestpb.SignalRequest{SessionId: info.Id, Signal: 9, All: true})
	if err != nil || r.Signaled < 2 {
		t.Fatalf("got %+v, %v", r, err)
	}
	if ended := n.await(info.Id); ended.Cause != signaled || ended.Code != 9 || ended.DescendantsLeft != 0 {
		t.Fatalf("got %+v", ended)
	}
}
