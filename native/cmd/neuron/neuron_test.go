package main

import (
	"context"
	"testing"

	"cortex.dev/native/internal/guestpb"
	"cortex.dev/native/internal/wire"
)

func TestACommandsOutputAndStatusArrive(t *testing.T) {
	n := readyNeuron(t)
	r := n.output(&guestpb.ExecRequest{Argv: shell("echo out; echo err >&2; exit 3")})
	if string(r.stdout) != "out\n" || string(r.stderr) != "err\n" || r.exit == nil || *r.exit != (wire.Exit{Cause: 1, Code: 3}) {
		t.Fatalf("got %q, %q, %+v", r.stdout, r.stderr, r.exit)
	}
}

func TestBeforeInitializeOnlyInfoAndInitializeAreAnswered(t *testing.T) {
	n := startNeuron(t)
	guest := n.control(wire.Token{})
	info, err := guest.Info(context.Background(), &guestpb.InfoRequest{})
	if err != nil || info.Initialized || info.ProtocolHighest != wire.VersionHighest {
		t.Fatalf("got %+v, %v", info, err)
	}
	_, err = guest.Exec(context.Background(), &guestpb.ExecRequest{SessionId: "s_1", Argv: words("true")})
	if codeOf(err) != "NOT_READY" {
		t.Fatalf("got %v", err)
	}
	if _, ack := n.dial(wire.PurposeData, wire.Token{}); ack.Status != wire.StatusTokenRefused {
		t.Fatalf("a data stream without a token got %+v", ack)
	}
}
