package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"cortex.dev/native/internal/guestpb"
	"cortex.dev/native/internal/testkit/need"
	"cortex.dev/native/internal/wire"
)

// processesAllowed is the limit of the control group that a bomb runs in.
const processesAllowed = 150

// pidsGroup makes a control group with a limit of processes, of either version.
func pidsGroup(t *testing.T) string {
	t.Helper()
	for _, root := range []string{"/sys/fs/cgroup/pids", "/sys/fs/cgroup"} {
		group := filepath.Join(root, fmt.Sprintf("neuron-test-%d", os.Getpid()))
		if os.Mkdir(group, 0o755) != nil {
			continue
		}
		t.Cleanup(func() { until(t, func() bool { return os.Remove(group) == nil }, "the group is not empty") })
		if os.WriteFile(filepath.Join(group, "pids.max"), []byte(strconv.Itoa(processesAllowed)), 0) == nil {
			return group
		}
	}
	need.That(t, false, "the pids controller of control groups")
	return ""
}

func TestAForkBombThatTakesAllProcessesDoesNotEndTheNeuron(t *testing.T) {
	for _, user := range []string{"agent", "root"} {
		t.Run(user, func(t *testing.T) { forkBomb(t, user) })
	}
}

func forkBomb(t *testing.T, user string) {
	t.Helper()
	need.Root(t, "it makes a control group")
	group := pidsGroup(t)
	n := firstProcessIn(t, group)
	fuse := "/home/agent/go"
	script := `touch ` + fuse + `; (sleep 10; rm -f ` + fuse + `) & perl -e '$SIG{TERM}="IGNORE"; $SIG{CHLD}="IGNORE"; my $end = time + 12; sub on { -e "` + fuse + `" && time < $end } while (on) { fork }' & exec tail -f /dev/null`
	info := n.exec(&guestpb.ExecRequest{Argv: shell(script), User: user})
	until(t, func() bool { return current(t, group) >= processesAllowed-2 }, "the bomb does not fill its group")
	for range 20 {
		if _, err := n.guest.Info(context.Background(), &guestpb.InfoRequest{}); err != nil {
			t.Fatalf("the neuron has gone: %v", err)
		}
		if _, err := n.guest.Exec(context.Background(), &guestpb.ExecRequest{SessionId: n.newID(), Argv: words("true")}); err != nil && codeOf(err) != "CAPACITY" {
			t.Fatalf("exec: %v", err)
		}
		conn, _ := n.dial(wire.PurposeData, n.token)
		_ = conn.Close()
		time.Sleep(5 * time.Millisecond)
	}
	if _, err := n.guest.RemoveSession(context.Background(), &guestpb.RemoveSessionRequest{SessionId: info.Id}); err != nil {
		t.Fatal(err)
	}
	if r := n.output(&guestpb.ExecRequest{Argv: words("echo", "again")}); string(r.stdout) != "again\n" {
		t.Fatalf("got %q, %+v", r.stdout, r.exit)
	}
}

func current(t *testing.T, group string) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(group, "pids.current"))
	if err != nil {
		t.Fatal(err)
	}
	count, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	return count
}
