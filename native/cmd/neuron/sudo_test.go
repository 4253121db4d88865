package main

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"cortex.dev/native/internal/guestpb"
	"cortex.dev/native/internal/wire"
)

// sudoSays runs a script as the default user and returns its output and status.
func sudoSays(t *testing.T, n *neuron, script string) (stdout, stderr string, status int32) {
	t.Helper()
	r := n.output(&guestpb.ExecRequest{Argv: shell(script)})
	if r.exit == nil {
		t.Fatalf("%s: no exit: %+v", script, r)
	}
	return string(r.stdout), string(r.stderr), r.exit.Code
}

func TestSudoRunsACommandAsRoot(t *testing.T) {
	n := firstProcess(t)
	for script, want := range map[string]string{
		`sudo id -u`:                                       "0\n",
		`sudo -n id -un`:                                   "root\n",
		`sudo sh -c 'id -u; id -g; id -G'`:                 "0\n0\n0\n",
		`cd /usr && sudo pwd`:                              "/usr\n",
		`sudo -u daemon id -un`:                            "daemon\n",
		`sudo -u '#4242' id -u`:                            "4242\n",
		`sudo -g adm id -g`:                                "4\n",
		`sudo -D /usr pwd`:                                 "/usr\n",
		`sudo --chdir=/usr pwd`:                            "/usr\n",
		`sudo -i -u agent pwd`:                             "/home/agent\n",
		`sudo -i echo 'a  b' '$HOME'`:                      "a  b /root\n",
		`SHELL=/bin/bash sudo -s echo 'a  b'`:              "a  b\n",
		`sudo -s -u agent id -un`:                          "agent\n",
		`A=1 BASE=2 sudo sh -c 'echo [$A] $HOME $USER'`:    "[] /root root\n",
		`A=1 sudo -E sh -c 'echo $A $HOME $USER'`:          "1 /home/agent root\n",
		`A=1 sudo -EH sh -c 'echo $A $HOME'`:               "1 /root\n",
		`A=1 B=2 sudo --preserve-env=A sh -c 'echo $A$B'`:  "1\n",
		`sudo A=3 B='x y' sh -c 'echo "$A $B"'`:            "3 x y\n",
		`LC_ALL=C sudo sh -c 'echo $LC_ALL'`:               "C\n",
		`sudo sh -c 'echo $SUDO_USER $SUDO_UID $SUDO_GID'`: "agent 1000 1000\n",
		`echo in | sudo cat`:                               "in\n",
		`sudo sh -c 'echo err >&2' 2>&1`:                   "err\n",
		`sudo true && sudo -v && sudo -k && echo yes`:      "yes\n",
		`sudo -l id`:                                       "id\n",
		`umask 077; sudo sh -c umask`:                      "0077\n",
		`sudo sudo id -u`:                                  "0\n",
		`sudo -u agent sudo id -u`:                         "0\n",
		`sudo sh -c 'grep NoNewPrivs /proc/self/status'`:   "NoNewPrivs:\t0\n",
		`sudo -- id -u`:                                    "0\n",
	} {
		if stdout, stderr, _ := sudoSays(t, n, script); stdout != want {
			t.Errorf("%s: got %q, %q, not %q", script, stdout, stderr, want)
		}
	}
}

func TestSudoEndsAsItsCommandDoes(t *testing.T) {
	n := firstProcess(t)
	for script, want := range map[string]int32{
		`sudo sh -c 'exit 7'`:        7,
		`sudo sh -c 'kill -TERM $$'`: 128 + 15,
		`sudo sh -c 'kill -KILL $$'`: 128 + 9,
		`sudo /no/such`:              1,
		`sudo -u nobody-at-all id`:   1,
		`sudo`:                       1,
		`sudo -e /etc/passwd`:        1,
		`sudo -D /no/such id`:        1,
		whileSudoRuns("INT"):         128 + 2,
		whileSudoRuns("TERM"):        128 + 15,
	} {
		if stdout, stderr, status := sudoSays(t, n, script); status != want {
			t.Errorf("%s: ended with %d, not %d: %q, %q", script, status, want, stdout, stderr)
		}
	}
	_, stderr, _ := sudoSays(t, n, `sudo no-such-program`)
	if stderr != "sudo: no-such-program: command not found\n" {
		t.Errorf("got %q", stderr)
	}
}

// whileSudoRuns sends a signal to sudo once its command runs: before, a background sudo of a shell ignores
// interrupts, as every background command does.
func whileSudoRuns(signal string) string {
	return `on=$(mktemp -u); sudo sh -c "touch $on; exec sleep 60" & ` +
		`until [ -e $on ]; do sleep 0.01; done; kill -` + signal + ` $!; wait $!`
}

// screen reads a terminal's text piece by piece.
type screen struct {
	*client
	text string
}

// until reads up to the words and forgets what came before their end.
func (s *screen) until(words string) string {
	s.t.Helper()
	for !strings.Contains(s.text, words) {
		data, ok := s.next().(wire.Data)
		if !ok {
			s.t.Fatalf("ended before %q: %q", words, s.text)
		}
		s.text += string(data.Bytes)
	}
	seen, rest, _ := strings.Cut(s.text, words)
	s.text = rest
	return seen
}

// says types a line and reads up to the words, which the line must not hold itself.
func (s *screen) says(line, words string) string {
	s.t.Helper()
	s.stdin(line + "\n")
	return s.until(words)
}

func interactive(t *testing.T, n *neuron, prompt string, argv ...string) *screen {
	t.Helper()
	info := n.exec(&guestpb.ExecRequest{Argv: words(argv...), Terminal: terminal(31, 97), Claim: true, Environment: words("PS1="+prompt, "HISTFILE=")})
	s := &screen{client: n.attach(info.Id, wire.ModeHold, 0)}
	s.until(prompt)
	return s
}

func TestSudoOnATerminalGivesItsCommandATerminalOfTheSameSize(t *testing.T) {
	s := interactive(t, firstProcess(t), "at> ", "bash", "--norc", "--noprofile", "-i")
	s.says("sudo sh -c 'stty size; tty; id -u'", "31 97\r\n/dev/pts/")
	s.until("\r\n0\r\n")
	s.until("at> ")
	s.says("sudo sh -c 'trap \"stty size\" WINCH; echo rea''dy; while :; do sleep 0.1; done'", "ready")
	s.send(wire.Winsize{Rows: 40, Columns: 120})
	s.until("40 120")
	s.stdin("\x03") // interrupts the command, not its client
	s.until("at> ")
	s.says("echo st''atus $?", "status 130")
	s.until("at> ")
	// The settings are as before.
	s.says("stty -a | grep -o ' echo ' && echo o''ver", " echo \r\nover")
	s.until("at> ")
	// A part of its streams: those are the caller's own.
	s.says("sudo sh -c 'test -t 0 && test -t 2 && echo pi''ped' | cat", "piped")
	s.until("at> ")
}

func TestAStoppedCommandOfSudoGivesItsShellTheTerminalAndGoesOnLater(t *testing.T) {
	s := interactive(t, firstProcess(t), "at> ", "bash", "--norc", "--noprofile", "-i")
	for range 2 {
		s.says("sudo sh -c 'echo rea''dy; read x; echo got $x'", "ready")
		s.stdin("\x1a")
		s.until("Stopped")
		s.until("at> ")
		s.says("echo alo''ne", "alone")
		s.until("at> ")
		s.says("fg", "sudo sh")
		s.until("\n")
		s.says("word", "got word")
		s.until("at> ")
	}
	s.says("sudo sleep 0.5 &", "at> ")
	s.says("echo alo''ne; wait; echo do''ne", "alone")
	s.until("done")
}

func TestARootShellOfSudoHasJobControl(t *testing.T) {
	s := interactive(t, firstProcess(t), "root> ", "sudo", "PS1=root> ", "bash", "--norc", "--noprofile", "-i")
	s.says("trap 'echo int' INT; sleep 60 && echo nev''er", "")
	time.Sleep(300 * time.Millisecond)
	s.stdin("\x1a")
	s.until("Stopped")
	s.until("root> ")
	s.says("kill -9 %1; wait; sleep 0.2; echo ki''lled", "killed")
	s.says("exit 9", "")
	if r := s.finish(); r.exit == nil || r.exit.Code != 9 {
		t.Fatalf("got %+v", r)
	}
}

func TestWhatSudoStartedEndsWithItsSession(t *testing.T) {
	n := firstProcess(t)
	for name, end := range map[string]func(id string){
		"timeout": func(string) {},
		"kill": func(id string) {
			if _, err := n.guest.Signal(context.Background(), &guestpb.SignalRequest{SessionId: id, Signal: 9, All: true}); err != nil {
				t.Fatal(err)
			}
		},
		"remove": func(id string) {
			if _, err := n.guest.RemoveSession(context.Background(), &guestpb.RemoveSessionRequest{SessionId: id}); err != nil {
				t.Fatal(err)
			}
		},
	} {
		r := &guestpb.ExecRequest{Argv: shell(`sudo sh -c 'setsid sleep 4711 & echo ready; sleep 4711'`)}
		if name == "timeout" {
			r.TimeoutMs = 2_000
		}
		info := n.exec(r)
		n.attach(info.Id, wire.ModeObserve, 0).readUntil("ready")
		end(info.Id)
		if name != "remove" {
			if ended := n.await(info.Id); ended.DescendantsLeft != 0 {
				t.Errorf("%s: got %+v", name, ended)
			}
		}
		if r := n.output(&guestpb.ExecRequest{Argv: words("pgrep", "-f", "sleep 471[1]")}); len(r.stdout) > 0 {
			t.Errorf("%s: these live on: %q", name, r.stdout)
		}
	}
}

func TestACallerThatIsKilledHangsItsCommandUp(t *testing.T) {
	n := firstProcess(t)
	stdout, stderr, _ := sudoSays(t, n, `sudo sh -c 'trap "echo hung up; exit" HUP; echo $$; sleep 30 & wait' & sleep 0.5; kill -KILL $!; sleep 0.5; pgrep -x sleep`)
	if !strings.Contains(stdout, "hung up") {
		t.Fatalf("got %q, %q", stdout, stderr)
	}
}

func TestWhatSudoLeavesInTheBackgroundGoesOn(t *testing.T) {
	n := firstProcess(t)
	for name, script := range map[string]string{
		"asked for":         `sudo -b sh -c 'sleep 0.7; echo there > /tmp/went-on'`,
		"left by a command": `sudo sh -c '(sleep 0.7; echo there > /tmp/went-on) > /dev/null 2>&1 &'`,
	} {
		stdout, stderr, _ := sudoSays(t, n, `sudo rm -f /tmp/went-on; `+script+`
			for i in $(seq 100); do test -s /tmp/went-on && break; sleep 0.05; done; cat /tmp/went-on`)
		if stdout != "there\n" {
			t.Errorf("%s: got %q, %q", name, stdout, stderr)
		}
	}
}

func TestWithoutRootNeitherSudoNorARootSessionIsGiven(t *testing.T) {
	n := firstProcess(t, func(r *guestpb.InitializeRequest) { r.NoRoot = true })
	_, stderr, status := sudoSays(t, n, `sudo id`)
	if status != 1 || !strings.Contains(stderr, "DENIED") || !strings.Contains(stderr, "--no-root") {
		t.Errorf("got %d, %q", status, stderr)
	}
	for _, who := range []string{"root", "0"} {
		_, err := n.guest.Exec(context.Background(), &guestpb.ExecRequest{SessionId: n.newID(), Argv: words("id"), User: who})
		if codeOf(err) != "DENIED" || !strings.Contains(err.Error(), "--no-root") {
			t.Errorf("user %s: got %v", who, err)
		}
		_, err = n.guest.MakeDirectory(context.Background(), &guestpb.MakeDirectoryRequest{Path: []byte("/home/agent/x"), User: who})
		if codeOf(err) != "DENIED" {
			t.Errorf("a folder as user %s: got %v", who, err)
		}
	}
	if r := n.output(&guestpb.ExecRequest{Argv: words("id", "-u"), User: "daemon", WorkingDirectory: []byte("/")}); string(r.stdout) != "1\n" {
		t.Errorf("another user: got %q, %q", r.stdout, r.stderr)
	}
}

func TestAServicesUserDoesNotBecomeRoot(t *testing.T) {
	n := firstProcess(t)
	r := n.output(&guestpb.ExecRequest{Argv: words("sudo", "id"), User: "daemon", WorkingDirectory: []byte("/")})
	if r.exit == nil || r.exit.Code != 1 || !strings.Contains(string(r.stderr), "DENIED") {
		t.Fatalf("got %q, %q", r.stdout, r.stderr)
	}
}

// Rubbish, silence and a flood; each client ends by itself after 10 s at most.
func TestAFloodOfCallersDoesNotStarveTheNeuron(t *testing.T) {
	n := firstProcess(t)
	flood := n.exec(&guestpb.ExecRequest{Argv: words("python3", "-c", `
import os, socket, time
end = time.time() + 10
junk = [b"", b"A\xff\xff\xff\xff", b"A\0\0\0\4null", b"A\0\0\0\2{}", b"X" * 70000, b'A\0\0\0\x0e{"Argv":["!"]}']
held = []
i = 0
print("ready", flush=True)
while time.time() < end:
    s = socket.socket(socket.AF_UNIX)
    s.settimeout(1)
    try:
        s.connect("/run/cortex/sudo")
        s.send(junk[i % len(junk)])
    except OSError:
        pass
    held.append(s)
    if len(held) > 300:
        held.pop(0).close()
    i += 1
print(i, flush=True)
`), TimeoutMs: 20_000})
	watcher := n.attach(flood.Id, wire.ModeObserve, 0)
	watcher.readUntil("ready")
	for i := range 20 {
		began := time.Now()
		r := n.output(&guestpb.ExecRequest{Argv: words("true")})
		if r.exit == nil || r.exit.Code != 0 {
			t.Fatalf("exec %d: %+v", i, r)
		}
		if took := time.Since(began); took > 10*time.Second {
			t.Fatalf("exec %d took %s", i, took)
		}
	}
	n.await(flood.Id)
	until(t, func() bool {
		stdout, _, _ := sudoSays(t, n, `sudo id -u`)
		return stdout == "0\n"
	}, "sudo does not recover")
}

func TestRootInsideCannotSlowLimitOrTraceTheNeuron(t *testing.T) {
	n := firstProcess(t)
	before, _, _ := sudoSays(t, n, `grep -v locks /proc/1/limits; grep -h Cpus_allowed_list /proc/1/task/*/status | sort -u; ps -L -o ni,cls -p 1 | sort -u`)
	for _, attack := range []string{
		`prlimit --pid 1 --nofile=3`, `prlimit --pid 1 --cpu=1:1`, `prlimit --pid 1 --as=1000000`, `prlimit --pid 1 --nproc=1`,
		`for t in $(ls /proc/1/task); do prlimit --pid $t --nofile=3 && exit; done; false`,
		`renice -n 19 -p 1`, `for t in $(ls /proc/1/task); do renice -n 19 -p $t && exit; done; false`,
		`renice -n 19 -u root`, `renice -n 19 -g 1`, `chrt --idle -p 0 1`, `taskset -p 1 1`, `ionice -c 3 -p 1`,
		`head -c 1 /proc/1/mem`, `head -c 1 /proc/1/environ`, `cat </proc/1/fd/3`, `readlink /proc/1/fd/3`, `ls /proc/1/map_files/`, `readlink /proc/1/exe`,
		`ls /proc/1/root/`, `ls /proc/1/cwd/`, `cat /proc/1/maps`, `cat /proc/1/auxv`, `cat /proc/1/stack`, `cat /proc/1/syscall`,
		`nsenter -t 1 -m true`, `gdb -p 1 -batch -ex quit | grep -q Attaching && false`,
	} {
		for who, script := range map[string]string{"root": attack, "agent, by sudo": "sudo sh -c '" + attack + "'"} {
			user := ""
			if who == "root" {
				user = "root"
			}
			r := n.output(&guestpb.ExecRequest{Argv: shell(script), User: user, WorkingDirectory: []byte("/")})
			if r.exit == nil || r.exit.Code == 0 {
				t.Errorf("%s: %s: worked: %q, %q", who, attack, r.stdout, r.stderr)
			}
		}
	}
	after, _, _ := sudoSays(t, n, `grep -v locks /proc/1/limits; grep -h Cpus_allowed_list /proc/1/task/*/status | sort -u; ps -L -o ni,cls -p 1 | sort -u`)
	if before != after {
		t.Errorf("the neuron is another:\n%s\nwas\n%s", after, before)
	}
	// Past the library, and with every call that traces.
	r := n.output(&guestpb.ExecRequest{Argv: words("python3", "-c", `
import ctypes, os
c = ctypes.CDLL(None, use_errno=True)
b = ctypes.create_string_buffer(64)
class V(ctypes.Structure): _fields_ = [("p", ctypes.c_void_p), ("n", ctypes.c_size_t)]
v = V(ctypes.addressof(b), 8)
w = V(0x400000, 8)
f = os.pidfd_open(1)
for name, a in {"attach": (101, 16, 1, 0, 0), "seize": (101, 0x4206, 1, 0, 0), "readv": (310, 1, ctypes.byref(v), 1, ctypes.byref(w), 1, 0),
                "writev": (311, 1, ctypes.byref(v), 1, ctypes.byref(w), 1, 0), "getfd": (438, f, 3, 0), "kcmp": (312, 1, os.getpid(), 2, 0, 0),
                "process_madvise": (440, f, ctypes.byref(w), 1, 4, 0)}.items():
    r = c.syscall(*a)
    print(name, r < 0)
`), User: "root", WorkingDirectory: []byte("/")})
	if got := string(r.stdout); strings.Contains(got, "False") || strings.Count(got, "True") != 7 {
		t.Errorf("got %s%s", got, r.stderr)
	}
	if _, err := n.guest.Info(context.Background(), &guestpb.InfoRequest{}); err != nil {
		t.Fatal(fmt.Errorf("the neuron has gone: %w", err))
	}
}
