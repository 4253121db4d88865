package main

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"cortex.dev/native/internal/guestpb"
	"cortex.dev/native/internal/wire"
)

// quiet tells the neuron to stand still and waits until its channel is closed.
func (n *neuron) quiet() {
	n.t.Helper()
	if _, err := n.guest.Quiesce(context.Background(), &guestpb.QuiesceRequest{CloseChannel: true, ResumeFile: []byte("resume")}); err != nil {
		n.t.Fatal(err)
	}
	for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		conn, err := net.Dial("unix", n.socket)
		if err != nil {
			return
		}
		_ = conn.Close()
		if time.Now().After(end) {
			n.t.Fatal("the channel is still open")
		}
	}
}

func (n *neuron) wake(line string) {
	n.t.Helper()
	if err := os.WriteFile(filepath.Join(filepath.Dir(n.socket), "resume"), []byte(line+"\n"), 0o600); err != nil {
		n.t.Fatal(err)
	}
}

func (n *neuron) thaw() {
	n.t.Helper()
	if _, err := n.guest.Thaw(context.Background(), &guestpb.ThawRequest{}); err != nil {
		n.t.Fatal(err)
	}
}

func TestAQuietNeuronHasNoStreamsAndItsSessionsStandStillUntilThaw(t *testing.T) {
	n := readyNeuron(t)
	info := n.exec(&guestpb.ExecRequest{Argv: shell("i=0; while :; do i=$((i+1)); echo $i; sleep 0.01; done")})
	attached := n.attach(info.Id, wire.ModeObserve, 0)
	attached.readUntil("\n5\n")
	n.quiet()
	for { // it ends, as if the neuron were gone
		if _, err := attached.frames.Next(); err != nil {
			break
		}
	}
	n.wake("resumed")
	n.guest = n.control(n.token)
	at := func() uint64 {
		status, err := n.guest.SessionStatus(context.Background(), &guestpb.SessionStatusRequest{SessionId: info.Id})
		if err != nil {
			t.Fatal(err)
		}
		return status.Newest
	}
	before := at()
	time.Sleep(100 * time.Millisecond)
	if after := at(); after != before {
		t.Errorf("it went on from %d to %d", before, after)
	}
	if _, err := n.guest.Exec(context.Background(), &guestpb.ExecRequest{SessionId: n.newID(), Argv: words("true")}); err == nil {
		t.Error("a command was started")
	}
	n.thaw()
	c := n.attach(info.Id, wire.ModeObserve, before)
	c.readUntil("\n")
	n.exec(&guestpb.ExecRequest{Argv: words("true")})
}

func TestARestoredNeuronTrustsNobodyUntilItHasAnotherToken(t *testing.T) {
	n := readyNeuron(t)
	info := n.exec(&guestpb.ExecRequest{Argv: shell("echo kept; sleep 600")})
	n.attach(info.Id, wire.ModeObserve, 0).readUntil("kept\n")
	n.quiet()
	n.wake("restored")
	old := n.token
	n.guest = n.control(old)
	if _, err := n.guest.Info(context.Background(), &guestpb.InfoRequest{}); err != nil {
		t.Fatal(err)
	}
	if _, err := n.guest.Thaw(context.Background(), &guestpb.ThawRequest{}); err == nil {
		t.Error("the old token thaws")
	}
	if _, err := n.guest.Initialize(context.Background(), &guestpb.InitializeRequest{Token: old[:], Generation: 2}); err == nil {
		t.Error("the old token was taken again")
	}
	n.token[5] = 42
	if _, err := n.guest.Initialize(context.Background(), &guestpb.InitializeRequest{Token: n.token[:], Generation: 2}); err != nil {
		t.Fatal(err)
	}
	if after, err := n.guest.Info(context.Background(), &guestpb.InfoRequest{}); err != nil || after.Generation != 2 {
		t.Errorf("it is %+v, %v", after, err)
	}
	n.thaw()
	n.attach(info.Id, wire.ModeObserve, 0).readUntil("kept\n")
	if conn, ack := n.dial(wire.PurposeControl, old); ack.Status != wire.StatusTokenRefused {
		_ = conn.Close()
		t.Errorf("the old token is answered %+v", ack)
	}
}

func TestAFileElsewhereIsNotWaitedFor(t *testing.T) {
	n := readyNeuron(t)
	for _, name := range []string{"", "a/b", "..", ".hidden"} {
		if _, err := n.guest.Quiesce(context.Background(), &guestpb.QuiesceRequest{CloseChannel: true, ResumeFile: []byte(name)}); err == nil {
			t.Errorf("the file %q was taken", name)
		}
	}
	n.exec(&guestpb.ExecRequest{Argv: words("true")}) // a refusal leaves nothing standing still
}
