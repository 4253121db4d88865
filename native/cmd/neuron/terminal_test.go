package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"cortex.dev/native/internal/guestpb"
	"cortex.dev/native/internal/wire"
)

func terminal(rows, columns uint32) *guestpb.Terminal {
	return &guestpb.Terminal{Size: &guestpb.WindowSize{Rows: rows, Columns: columns}}
}

func TestATerminalSessionHasAControllingTerminalOfTheRightSizeAndKind(t *testing.T) {
	n := readyNeuron(t)
	r := n.output(&guestpb.ExecRequest{Argv: shell(`stty size; echo $TERM; tty; [ -t 0 ] && [ -t 1 ] && [ -t 2 ] && echo all; echo x > /dev/tty; echo err >&2`), Terminal: terminal(40, 132)})
	got := strings.Split(strings.TrimSuffix(string(r.stdout), "\r\n"), "\r\n")
	if len(got) != 6 || got[0] != "40 132" || got[1] != "xterm-256color" || !strings.HasPrefix(got[2], "/dev/pts/") ||
		got[3] != "all" || got[4] != "x" || got[5] != "err" || len(r.stderr) > 0 {
		t.Fatalf("got %q and on stderr %q", got, r.stderr)
	}
}

func TestAWindowThatChangesTellsTheProgram(t *testing.T) {
	n := readyNeuron(t)
	info := n.exec(&guestpb.ExecRequest{Argv: shell(`trap 'stty size' WINCH; echo ready; while :; do sleep 0.05; done`), Terminal: terminal(24, 80), Claim: true})
	c := n.attach(info.Id, wire.ModeHold, 0)
	c.readUntil("ready")
	c.send(wire.Winsize{Rows: 50, Columns: 200})
	c.readUntil("50 200")
}

func TestTheInterruptKeyReachesTheForegroundProgram(t *testing.T) {
	n := readyNeuron(t)
	info := n.exec(&guestpb.ExecRequest{Argv: words("bash", "--norc", "-i"), Terminal: terminal(24, 80), Claim: true, Environment: words("PS1=ready>")})
	c := n.attach(info.Id, wire.ModeHold, 0)
	c.readUntil("ready>")
	c.stdin("sleep 300\n")
	c.readUntil("sleep 300")
	until(t, func() bool { return foreground(t, n, info.Pid) == "sleep" }, "sleep is not in the foreground")
	c.stdin("\x03")
	c.readUntil("ready>")
	c.stdin("exit $((6*7))\n")
	if r := c.finish(); r.exit == nil || r.exit.Code != 42 {
		t.Fatalf("got %+v", r)
	}
}

func TestASignalReachesTheForegroundGroupOfATerminal(t *testing.T) {
	n := readyNeuron(t)
	info := n.exec(&guestpb.ExecRequest{Argv: words("bash", "--norc", "-i"), Terminal: terminal(24, 80), Claim: true, Environment: words("PS1=ready>")})
	c := n.attach(info.Id, wire.ModeHold, 0)
	c.readUntil("ready>")
	c.stdin("sleep 300; echo status $?\n")
	until(t, func() bool { return foreground(t, n, info.Pid) == "sleep" }, "sleep is not in the foreground")
	if r, err := n.guest.Signal(context.Background(), &guestpb.SignalRequest{SessionId: info.Id, Signal: 15}); err != nil || r.Signaled != 1 {
		t.Fatalf("got %+v, %v", r, err)
	}
	c.readUntil("status 143")
}

func TestTheEndOfInputEndsAProgramThatReadsLines(t *testing.T) {
	n := readyNeuron(t)
	for _, typed := range []string{"", "whole line\n", "half a line"} {
		info := n.exec(&guestpb.ExecRequest{Argv: words("cat"), Terminal: terminal(24, 80), Claim: true})
		c := n.attach(info.Id, wire.ModeHold, 0)
		if typed != "" {
			c.stdin(typed)
		}
		c.send(wire.StdinClose{})
		r := c.finish()
		if r.exit == nil || r.exit.Code != 0 || !strings.Contains(string(r.stdout), strings.TrimSpace(typed)) {
			t.Fatalf("%q: got %q, %+v", typed, r.stdout, r.exit)
		}
	}
}

func TestATerminalLosesNoOutputAtTheEnd(t *testing.T) {
	n := readyNeuron(t)
	for range 20 {
		r := n.output(&guestpb.ExecRequest{Argv: shell("stty -opost; seq 3000"), Terminal: terminal(24, 80)})
		if string(r.stdout) != string(sequence(3000)) {
			t.Fatalf("got %d bytes", len(r.stdout))
		}
	}
}

func TestAProgramThatClosesItsTerminalForAMomentGoesOn(t *testing.T) {
	n := readyNeuron(t)
	r := n.output(&guestpb.ExecRequest{Argv: shell(`exec 3>&- </dev/null >/dev/null 2>&1; sleep 0.2; exec >/dev/tty; echo back`), Terminal: terminal(24, 80)})
	if string(r.stdout) != "back\r\n" || r.exit == nil || r.exit.Code != 0 {
		t.Fatalf("got %q, %+v", r.stdout, r.exit)
	}
}

func TestABackgroundChildOnTheTerminalDoesNotDelayTheEnd(t *testing.T) {
	n := readyNeuron(t)
	r := n.output(&guestpb.ExecRequest{Argv: shell("trap '' HUP; setsid sleep 300 & echo over"), Terminal: terminal(24, 80)})
	if string(r.stdout) != "over\r\n" || r.exit == nil {
		t.Fatalf("got %q, %+v", r.stdout, r.exit)
	}
}

func TestNoCommandMeansTheUsersLoginShell(t *testing.T) {
	n := readyNeuron(t, func(r *guestpb.InitializeRequest) {
		r.User = &guestpb.User{Name: "without-an-entry", Uid: uint32(os.Getuid()), Gid: uint32(os.Getgid()), Home: []byte("/")}
	})
	info := n.exec(&guestpb.ExecRequest{Terminal: terminal(24, 80), Claim: true, Environment: words("PS1=>", "HOME=/nonexistent")})
	c := n.attach(info.Id, wire.ModeHold, 0)
	c.stdin("echo name=$0; exit\n")
	if r := c.finish(); !strings.Contains(string(r.stdout), "name=-sh") {
		t.Fatalf("got %q", r.stdout)
	}
}

func TestACommandThatIsNotFoundTellsSoOnTheTerminal(t *testing.T) {
	n := readyNeuron(t)
	r := n.output(&guestpb.ExecRequest{Argv: words("no-such-command"), Terminal: terminal(24, 80)})
	if string(r.stdout) != "cortex: no-such-command: command not found\r\n" || r.exit == nil || r.exit.Code != 127 {
		t.Fatalf("got %q, %+v", r.stdout, r.exit)
	}
}

// foreground is the name of the program that has a session's terminal.
func foreground(t testing.TB, n *neuron, pid uint32) string {
	t.Helper()
	r := n.output(&guestpb.ExecRequest{Argv: shell(fmt.Sprintf(`ps -o comm= -p $(ps -o tpgid= -p %d)`, pid))})
	return strings.TrimSpace(string(r.stdout))
}
