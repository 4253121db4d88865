package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"cortex.dev/native/internal/guestpb"
	"cortex.dev/native/internal/wire"
	"golang.org/x/sys/unix"
)

const (
	exited        = guestpb.ExitCause_EXIT_CAUSE_EXITED
	signaled      = guestpb.ExitCause_EXIT_CAUSE_SIGNALED
	timedOut      = guestpb.ExitCause_EXIT_CAUSE_TIMEOUT
	notFound      = guestpb.ExitCause_EXIT_CAUSE_NOT_FOUND
	notExecutable = guestpb.ExitCause_EXIT_CAUSE_NOT_EXECUTABLE
	removed       = guestpb.ExitCause_EXIT_CAUSE_REMOVED
)

// soon is far more than a step takes and far less than what would show that something was waited for.
const soon = 10 * time.Second

func TestAnOpenStdinDoesNotDelayTheEnd(t *testing.T) {
	n := readyNeuron(t)
	info := n.exec(&guestpb.ExecRequest{Argv: words("true"), Stdin: true, Claim: true})
	c := n.attach(info.Id, wire.ModeHold, 0)
	if r := c.finish(); r.exit == nil || *r.exit != (wire.Exit{Cause: uint8(exited)}) {
		t.Fatalf("got %+v", r)
	}
}

func TestABackgroundChildThatHoldsThePipesDoesNotDelayTheEndAndLivesOn(t *testing.T) {
	n := readyNeuron(t)
	alive := filepath.Join(t.TempDir(), "alive")
	begun := time.Now()
	r := n.output(&guestpb.ExecRequest{Argv: shell("(sleep 0.4; echo late; echo on > " + alive + "; exec sleep 300) & echo now")})
	if string(r.stdout) != "now\n" || r.exit == nil || time.Since(begun) > soon {
		t.Fatalf("got %q, %+v after %s", r.stdout, r.exit, time.Since(begun))
	}
	until(t, func() bool { _, err := os.Stat(alive); return err == nil }, "the child has not lived on")
	info := n.await("s_0000000000000001")
	if info.DescendantsLeft == 0 {
		t.Fatalf("the child that outlived its session is not told of: %+v", info)
	}
}

func TestABackgroundChildThatKeepsWritingDoesNotDelayTheEnd(t *testing.T) {
	n := readyNeuron(t)
	begun := time.Now()
	r := n.output(&guestpb.ExecRequest{Argv: shell("yes & echo begun")})
	if r.exit == nil || time.Since(begun) > soon || !bytes.Contains(r.stdout, []byte("begun\n")) {
		t.Fatalf("got %d bytes, %+v after %s", len(r.stdout), r.exit, time.Since(begun))
	}
}

func TestWhatThePipeHoldsAtTheEndIsNotLost(t *testing.T) {
	n := readyNeuron(t)
	for range 20 {
		// The child fills the pipe and ends; a grandchild keeps it open.
		r := n.output(&guestpb.ExecRequest{Argv: shell("sleep 300 & head -c 60000 /dev/zero")})
		if len(r.stdout) != 60_000 {
			t.Fatalf("got %d bytes", len(r.stdout))
		}
	}
}

func TestACommandThatIsNotFoundEndsWith127AndOneExit(t *testing.T) {
	n := readyNeuron(t)
	for _, command := range []string{"no-such-command", "/no/such/file", "./nothing", ""} {
		r := n.output(&guestpb.ExecRequest{Argv: words(command)})
		if r.exit == nil || *r.exit != (wire.Exit{Cause: uint8(notFound), Code: 127}) {
			t.Errorf("%q: %+v", command, r.exit)
		}
		if !strings.HasPrefix(string(r.stderr), "cortex: "+command+": ") || !bytes.HasSuffix(r.stderr, []byte("\n")) || len(r.stdout) > 0 {
			t.Errorf("%q: told %q", command, r.stderr)
		}
	}
}

func TestAFileThatCannotBeExecutedEndsWith126(t *testing.T) {
	n := readyNeuron(t)
	dir := t.TempDir()
	plain, broken := filepath.Join(dir, "plain"), filepath.Join(dir, "broken")
	write(t, plain, "hello\n", 0o644)
	write(t, broken, "#!/no/such/interpreter\n", 0o755)
	for _, path := range []string{plain, broken, dir} {
		r := n.output(&guestpb.ExecRequest{Argv: words(path)})
		if r.exit == nil || *r.exit != (wire.Exit{Cause: uint8(notExecutable), Code: 126}) {
			t.Errorf("%s: %+v %q", path, r.exit, r.stderr)
		}
	}
}

func TestAScriptWithoutAnInterpreterLineRunsInTheShell(t *testing.T) {
	n := readyNeuron(t)
	script := filepath.Join(t.TempDir(), "script")
	write(t, script, "echo \"$1\"\n", 0o755)
	if r := n.output(&guestpb.ExecRequest{Argv: words(script, "works")}); string(r.stdout) != "works\n" {
		t.Fatalf("got %q, %q, %+v", r.stdout, r.stderr, r.exit)
	}
}

func TestTheCommandIsLookedForInTheSessionsOwnPath(t *testing.T) {
	n := readyNeuron(t)
	dir := t.TempDir()
	write(t, filepath.Join(dir, "only-here"), "#!/bin/sh\necho found\n", 0o755)
	r := n.output(&guestpb.ExecRequest{Argv: words("only-here"), Environment: words("PATH=/bin:" + dir)})
	if string(r.stdout) != "found\n" {
		t.Fatalf("got %q, %q", r.stdout, r.stderr)
	}
}

func TestAFolderInThePathIsNoCommand(t *testing.T) {
	n := readyNeuron(t)
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "thing"), 0o755); err != nil {
		t.Fatal(err)
	}
	r := n.output(&guestpb.ExecRequest{Argv: words("thing"), Environment: words("PATH=" + dir)})
	if r.exit == nil || r.exit.Code != 127 {
		t.Fatalf("got %q, %+v", r.stderr, r.exit)
	}
}

func TestArgumentsArriveByteForByte(t *testing.T) {
	n := readyNeuron(t)
	longest := strings.Repeat("x", 131_071)
	for name, argument := range map[string]string{"empty": "", "the longest": longest, "not UTF-8": "a\xff\xc3(b", "newlines": "a\n\nb\n"} {
		r := n.output(&guestpb.ExecRequest{Argv: words("printf", "%s|", argument, "end")})
		if string(r.stdout) != argument+"|end|" {
			t.Errorf("%s: got %d bytes, %+v %q", name, len(r.stdout), r.exit, r.stderr)
		}
	}
}

func TestBadRequestsAreRefusedWithTheirCode(t *testing.T) {
	n := readyNeuron(t)
	cases := map[string]*guestpb.ExecRequest{
		"an argument of one byte too many": {SessionId: "a", Argv: words("echo", strings.Repeat("x", 131_072))},
		"a NUL in an argument":             {SessionId: "a", Argv: words("echo", "a\x00b")},
		"a NUL in a variable":              {SessionId: "a", Argv: words("echo"), Environment: words("A=\x00")},
		"a variable without a name":        {SessionId: "a", Argv: words("echo"), Environment: words("=b")},
		"a variable without a value":       {SessionId: "a", Argv: words("echo"), Environment: words("b")},
		"a missing directory":              {SessionId: "a", Argv: words("echo"), WorkingDirectory: []byte("/no/such")},
		"a directory that is a file":       {SessionId: "a", Argv: words("echo"), WorkingDirectory: []byte("/etc/passwd")},
		"a NUL in the directory":           {SessionId: "a", Argv: words("echo"), WorkingDirectory: []byte("/\x00")},
		"an unknown user":                  {SessionId: "a", Argv: words("echo"), User: "nobody-such"},
		"no id":                            {Argv: words("echo")},
		"an id with a slash":               {SessionId: "../x", Argv: words("echo")},
		"an id that is too long":           {SessionId: strings.Repeat("s", 129), Argv: words("echo")},
		"more than the kernel takes": {SessionId: "a", Argv: append(words("true"),
			bytes.Split(bytes.Repeat([]byte(strings.Repeat("y", 100_000)+"\n"), 30), []byte("\n"))...)},
	}
	for name, request := range cases {
		if _, err := n.guest.Exec(context.Background(), request); codeOf(err) != "INVALID_ARGUMENT" {
			t.Errorf("%s: got %v", name, err)
		}
	}
	list, err := n.guest.ListSessions(context.Background(), &guestpb.ListSessionsRequest{})
	if err != nil || len(list.Sessions) != 0 {
		t.Fatalf("refused requests left sessions: %+v, %v", list, err)
	}
}

func TestARepeatedIdDoesNotStartASecondProcess(t *testing.T) {
	n := readyNeuron(t)
	file := filepath.Join(t.TempDir(), "runs")
	var group sync.WaitGroup
	var already atomicCount
	for range 8 {
		group.Add(1)
		go func() {
			defer group.Done()
			r, err := n.guest.Exec(context.Background(), &guestpb.ExecRequest{SessionId: "s_once", Argv: shell("echo run >> " + file)})
			if err != nil {
				t.Error(err)
			} else if r.Already {
				already.add()
			}
		}()
	}
	group.Wait()
	n.await("s_once")
	if text, err := os.ReadFile(file); err != nil || string(text) != "run\n" || already.get() != 7 {
		t.Fatalf("ran %q, %d answered already", text, already.get())
	}
}

func TestOutputAfterTheClientIsGoneIsKept(t *testing.T) {
	n := readyNeuron(t)
	fifo := filepath.Join(t.TempDir(), "go")
	info := n.exec(&guestpb.ExecRequest{Argv: shell("echo one; mkfifo " + fifo + "; read x < " + fifo + "; echo two; exit 5"), Claim: true})
	c := n.attach(info.Id, wire.ModeHold, 0)
	c.readUntil("one\n")
	_ = c.conn.Close()
	until(t, func() bool { _, err := os.Stat(fifo); return err == nil }, "no fifo")
	write(t, fifo, "x\n", 0)
	ended := n.await(info.Id)
	if ended.Code != 5 || ended.Newest != 8 || ended.Oldest != 0 {
		t.Fatalf("got %+v", ended)
	}
	if r := n.attach(info.Id, wire.ModeObserve, 4).finish(); string(r.stdout) != "two\n" || r.exit == nil {
		t.Fatalf("got %+v", r)
	}
}

func TestOneThousandCommandsEachGiveTheirOwnStatus(t *testing.T) {
	n := readyNeuron(t)
	var group sync.WaitGroup
	slots := make(chan struct{}, 16)
	for i := range 1_000 {
		group.Add(1)
		slots <- struct{}{}
		go func() {
			defer group.Done()
			defer func() { <-slots }()
			id := fmt.Sprintf("s_k%d", i)
			if _, err := n.guest.Exec(context.Background(), &guestpb.ExecRequest{SessionId: id, Argv: shell(fmt.Sprintf("exit %d", i%256))}); err != nil {
				t.Errorf("%s: %v", id, err)
				return
			}
			info, err := n.guest.SessionStatus(context.Background(), &guestpb.SessionStatusRequest{SessionId: id, WaitMs: 30_000})
			if err != nil || info.Cause != exited || int(info.Code) != i%256 {
				t.Errorf("%s: %+v, %v", id, info, err)
			}
		}()
	}
	group.Wait()
}

func TestTenThousandShortChildrenOfOneSessionEachGiveTheirStatus(t *testing.T) {
	n := readyNeuron(t)
	// Every second child is orphaned, so that the neuron has to reap it.
	script := `i=0; bad=0
while [ $i -lt 5000 ]; do
  (exit $((i % 200))); [ $? -eq $((i % 200)) ] || bad=$((bad+1))
  (true & )
  i=$((i+1))
done
echo $bad`
	r := n.output(&guestpb.ExecRequest{Argv: shell(script)})
	if string(r.stdout) != "0\n" || r.exit == nil || r.exit.Code != 0 {
		t.Fatalf("got %q, %q, %+v", r.stdout, r.stderr, r.exit)
	}
	until(t, func() bool { return zombiesOf(t, n.command.Process.Pid) == 0 }, "orphans are left as zombies")
}

func TestASignalThatEndsTheProcessIsItsCause(t *testing.T) {
	n := readyNeuron(t)
	info := n.exec(&guestpb.ExecRequest{Argv: words("sleep", "300")})
	if r, err := n.guest.Signal(context.Background(), &guestpb.SignalRequest{SessionId: info.Id, Signal: 15}); err != nil || r.Signaled != 1 {
		t.Fatalf("got %+v, %v", r, err)
	}
	if ended := n.await(info.Id); ended.Cause != signaled || ended.Code != 15 {
		t.Fatalf("got %+v", ended)
	}
	if r, err := n.guest.Signal(context.Background(), &guestpb.SignalRequest{SessionId: info.Id, Signal: 15}); err != nil || r.Signaled != 0 {
		t.Fatalf("a signal to a session that has ended: %+v, %v", r, err)
	}
	if _, err := n.guest.Signal(context.Background(), &guestpb.SignalRequest{SessionId: info.Id, Signal: 65}); codeOf(err) != "INVALID_ARGUMENT" {
		t.Fatalf("got %v", err)
	}
}

func TestATimeoutKillsGrandchildrenThatLeftTheGroup(t *testing.T) {
	n := readyNeuron(t)
	dir := t.TempDir()
	script := fmt.Sprintf(`setsid sh -c 'echo $$ > %[1]s/a; exec sleep 300' &
(setsid sh -c '(setsid sh -c "echo \$\$ > %[1]s/b; exec sleep 300" &)' &)
trap '' TERM INT HUP
echo $$ > %[1]s/c; while :; do sleep 1; done`, dir)
	info := n.exec(&guestpb.ExecRequest{Argv: shell(script), TimeoutMs: 700})
	ended := n.await(info.Id)
	if ended.Cause != timedOut || ended.Code != 9 {
		t.Fatalf("got %+v", ended)
	}
	for _, name := range []string{"a", "b", "c"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatalf("the script had no time to start its children: %v", err)
		}
		pid := strings.TrimSpace(string(text))
		until(t, func() bool { _, err := os.Stat("/proc/" + pid); return err != nil }, "process "+name+" lives on")
	}
	if left := n.await(info.Id).DescendantsLeft; left != 0 {
		t.Fatalf("%d descendants are left", left)
	}
}

func TestRemoveKillsAndForgetsButKeepsTheStatus(t *testing.T) {
	n := readyNeuron(t)
	info := n.exec(&guestpb.ExecRequest{Argv: shell("echo out; (setsid sleep 300 &); sleep 300")})
	n.attach(info.Id, wire.ModeObserve, 0).readUntil("out\n")
	if _, err := n.guest.RemoveSession(context.Background(), &guestpb.RemoveSessionRequest{SessionId: info.Id}); err != nil {
		t.Fatal(err)
	}
	after := n.await(info.Id)
	if after.Cause != removed || after.Code != 9 || !after.Evicted || after.Oldest != after.Newest || after.DescendantsLeft != 0 {
		t.Fatalf("got %+v", after)
	}
	r := n.attach(info.Id, wire.ModeObserve, 0).finish()
	if len(r.gaps) != 1 || r.exit == nil {
		t.Fatalf("got %+v", r)
	}
}

func TestTheEnvironmentIsTheBaseThenTheUserThenTheCall(t *testing.T) {
	n := readyNeuron(t)
	r := n.output(&guestpb.ExecRequest{Argv: words("env"), Environment: words("BASE=changed", "CALL=\xff")})
	lines := strings.Split(string(r.stdout), "\n")
	for _, want := range []string{"BASE=changed", "CALL=\xff", "PATH=/usr/local/bin:/usr/bin:/bin"} {
		if !contains(lines, want) {
			t.Errorf("%q is missing in %q", want, lines)
		}
	}
	for _, line := range lines {
		if strings.HasPrefix(line, runAsNeuron) {
			t.Errorf("the neuron's own environment is visible: %q", line)
		}
	}
}

func TestAProcessStartsWithACleanSlate(t *testing.T) {
	n := readyNeuron(t)
	r := n.output(&guestpb.ExecRequest{Argv: shell(`umask; ls /proc/self/fd; grep -E 'Sig(Blk|Ign)' /proc/self/status; cat /proc/self/oom_score_adj; ulimit -n`)})
	got := strings.Fields(string(r.stdout))
	own, err := os.ReadFile("/proc/self/oom_score_adj")
	if err != nil {
		t.Fatal(err)
	}
	var ownScore int
	if _, err := fmt.Sscan(string(own), &ownScore); err != nil {
		t.Fatal(err)
	}
	// ls itself opens the folder as 3.
	want := []string{"0022", "0", "1", "2", "3", "SigBlk:", "0000000000000000", "SigIgn:", "0000000000000000",
		fmt.Sprint(min(ownScore+500, 1000)), originalFileLimit(t)}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Fatalf("got  %q\nwant %q", got, want)
	}
}

func TestTheNeuronHasShortSlicesOfTimeAndASessionTheUsualOnes(t *testing.T) {
	slice := func(thread int) uint64 {
		attributes, err := unix.SchedGetAttr(thread, 0)
		if err != nil {
			t.Fatal(err)
		}
		return attributes.Runtime
	}
	n := readyNeuron(t)
	usual := slice(0) // 0 before Linux 6.12, whose slices are all the same
	for _, user := range []string{"", "root"} {
		info := n.exec(&guestpb.ExecRequest{Argv: words("sleep", "60"), User: user})
		if got := slice(int(info.Pid)); got != usual {
			t.Errorf("a session has slices of %d, not %d", got, usual)
		}
	}
	tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", n.command.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range tasks {
		id, err := strconv.Atoi(task.Name())
		if err != nil {
			t.Fatal(err)
		}
		if got := slice(id); usual > 0 && got >= usual {
			t.Errorf("thread %d of the neuron has slices of %d, and a session of %d", id, got, usual)
		}
	}
}

func TestShutdownEndsEverySessionAndTheNeuron(t *testing.T) {
	n := readyNeuron(t)
	info := n.exec(&guestpb.ExecRequest{Argv: shell("trap '' TERM; echo $$; while :; do sleep 0.1; done")})
	pid := strings.TrimSpace(n.attach(info.Id, wire.ModeObserve, 0).readUntil("\n"))
	if _, err := n.guest.Shutdown(context.Background(), &guestpb.ShutdownRequest{GraceMs: 100}); err != nil {
		t.Fatal(err)
	}
	until(t, func() bool { _, err := os.Stat("/proc/" + pid); return err != nil }, "the session lives on")
	done := make(chan error, 1)
	go func() { done <- n.command.Wait() }()
	select {
	case err := <-done:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(patience):
		t.Fatal("the neuron lives on")
	}
	n.guest = nil
}
