package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"cortex.dev/native/internal/guestpb"
	"cortex.dev/native/internal/testkit/need"
	"cortex.dev/native/internal/wire"
)

// idRange is how many host ids the user namespace of these tests shows.
const idRange = 65_536

// firstHostID begins a range that is this process's own: another clone may run the same tests beside it.
var firstHostID = 1<<24 + os.Getpid()%8_192*idRange

// prepareSandbox is what a runtime does around a first process, as little of it as there must be. /etc is a layer, not
// mounted files: a file that the host replaces meanwhile (useradd does) takes what is mounted on it away.
const prepareSandbox = `set -e
mount --make-rprivate /
mount -t proc proc /proc
mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts /dev/pts
mount -t tmpfs -o mode=755 tmpfs /home
mount -t tmpfs -o mode=755 tmpfs /run
mount -t overlay -o "userxattr,lowerdir=/etc,upperdir=$1/etc,workdir=$1/work" overlay /etc
cd /
dir=$1; shift
exec setpriv --bounding-set=-sys_resource,-sys_ptrace "$dir/neuron" "$@"
`

// firstProcess starts a neuron as first process of namespaces of its own.
func firstProcess(t *testing.T, change ...func(*guestpb.InitializeRequest)) *neuron {
	t.Helper()
	return firstProcessIn(t, "", change...)
}

// firstProcessIn starts it in a control group.
func firstProcessIn(t *testing.T, group string, change ...func(*guestpb.InitializeRequest)) *neuron {
	t.Helper()
	need.Root(t, "it maps a range of user ids")
	dir, err := os.MkdirTemp("", "neuron")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	copyFile(t, os.Args[0], filepath.Join(dir, "neuron"))
	for _, name := range []string{"etc", "work"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{
		"passwd": "root:x:0:0:root:/root:/bin/bash\ndaemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin",
		"group":  "root:x:0:\nadm:x:4:agent\n", "machine-id": "",
	} {
		write(t, filepath.Join(dir, "etc", name), text, 0o644)
	}
	for _, path := range []string{"", "neuron", "etc", "etc/passwd", "etc/group", "etc/machine-id", "work"} {
		if err := os.Chown(filepath.Join(dir, path), firstHostID, firstHostID); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	n := &neuron{t: t, socket: filepath.Join(dir, "n"), log: &bytes.Buffer{}}
	n.token[0] = 1
	n.command = exec.Command("sh", "-c", prepareSandbox, "sh", dir, "serve", "--listen", n.socket)
	n.command.Env = append(os.Environ(), runAsNeuron+"=1")
	n.command.Stderr = n.log
	n.command.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWPID | syscall.CLONE_NEWNS | syscall.CLONE_NEWNET |
			syscall.CLONE_NEWUTS | syscall.CLONE_NEWIPC,
		UidMappings:                []syscall.SysProcIDMap{{ContainerID: 0, HostID: firstHostID, Size: idRange}},
		GidMappings:                []syscall.SysProcIDMap{{ContainerID: 0, HostID: firstHostID, Size: idRange}},
		GidMappingsEnableSetgroups: true,
		Credential:                 &syscall.Credential{},
	}
	n.start()
	if group != "" {
		pid := []byte(fmt.Sprint(n.command.Process.Pid))
		if err := os.WriteFile(filepath.Join(group, "cgroup.procs"), pid, 0); err != nil {
			t.Fatal(err)
		}
	}
	n.initialize(func(r *guestpb.InitializeRequest) {
		r.User = &guestpb.User{Name: "agent", Uid: 1000, Gid: 1000, Home: []byte("/home/agent")}
		r.WorkingDirectory = []byte("/home/agent/workspace")
		r.Hostname, r.MachineId, r.Entropy = "sandbox-1", strings.Repeat("0a", 16), []byte("entropy")
		r.Environment = words("PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/home/agent")
		for _, c := range change {
			c(r)
		}
	})
	return n
}

func copyFile(t testing.TB, from, to string) {
	t.Helper()
	source, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	target, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(target, source); err != nil {
		t.Fatal(err)
	}
	if err := target.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestTheDefaultUserIsMadeAndHasNoRights(t *testing.T) {
	n := firstProcess(t)
	r := n.output(&guestpb.ExecRequest{Argv: shell(`id; pwd; echo $HOME $USER $LOGNAME; stat -c %U:%G . $HOME; grep CapEff /proc/self/status; hostname; cat /etc/machine-id; tail -n 1 /etc/passwd; tail -n 1 /etc/group`)})
	want := `uid=1000(agent) gid=1000(agent) groups=1000(agent),4(adm)
/home/agent/workspace
/home/agent agent agent
agent:agent
agent:agent
CapEff:	0000000000000000
sandbox-1
0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a
agent:x:1000:1000::/home/agent:/bin/sh
agent:x:1000:
`
	if string(r.stdout) != want {
		t.Fatalf("got\n%s%s\nwant\n%s", r.stdout, r.stderr, want)
	}
}

func TestARootSessionIsRootWithItsOwnHome(t *testing.T) {
	n := firstProcess(t)
	for _, who := range []string{"root", "0"} {
		r := n.output(&guestpb.ExecRequest{Argv: shell(`id -u; echo $HOME $USER`), User: who, WorkingDirectory: []byte("/")})
		if string(r.stdout) != "0\n/root root\n" {
			t.Fatalf("got %q, %q", r.stdout, r.stderr)
		}
	}
	r := n.output(&guestpb.ExecRequest{Argv: shell(`id -u; id -g; echo $HOME`), User: "4242", WorkingDirectory: []byte("/")})
	if string(r.stdout) != "4242\n4242\n/\n" {
		t.Fatalf("got %q, %q", r.stdout, r.stderr)
	}
}

func TestAUserCanOpenItsOwnStreamsByName(t *testing.T) {
	n := firstProcess(t)
	r := n.output(&guestpb.ExecRequest{Argv: shell(`echo out > /dev/stdout; echo err > /dev/stderr`)})
	if string(r.stdout) != "out\n" || string(r.stderr) != "err\n" {
		t.Fatalf("got %q, %q", r.stdout, r.stderr)
	}
	r = n.output(&guestpb.ExecRequest{Argv: shell(`stat -c %U $(tty); echo x > $(tty)`), Terminal: terminal(24, 80)})
	if string(r.stdout) != "agent\r\nx\r\n" {
		t.Fatalf("got %q", r.stdout)
	}
}

func TestADirectoryThatTheUserMayNotEnterIsNamed(t *testing.T) {
	n := firstProcess(t)
	n.output(&guestpb.ExecRequest{Argv: words("mkdir", "-m", "700", "/home/secret"), User: "root", WorkingDirectory: []byte("/")})
	_, err := n.guest.Exec(context.Background(), &guestpb.ExecRequest{
		SessionId: "s_x", Argv: words("true"), WorkingDirectory: []byte("/home/secret"),
	})
	if codeOf(err) != "DENIED" || !strings.Contains(err.Error(), "/home/secret") {
		t.Fatalf("got %v", err)
	}
}

func TestNothingInsideCanEndOrReadTheNeuron(t *testing.T) {
	n := firstProcess(t)
	script := `for s in $(seq 1 64); do kill -$s 1 2>/dev/null; done
cat /proc/1/environ /proc/1/mem 2>/dev/null | head -c 1; readlink /proc/1/fd/* /proc/1/exe; echo over`
	r := n.output(&guestpb.ExecRequest{Argv: shell(script), User: "root", WorkingDirectory: []byte("/")})
	if r.exit == nil || r.exit.Code != 0 || string(r.stdout) != "over\n" {
		t.Fatalf("got %q %q %+v", r.stdout, r.stderr, r.exit)
	}
	if _, err := n.guest.Info(context.Background(), &guestpb.InfoRequest{}); err != nil {
		t.Fatalf("the neuron has gone: %v", err)
	}
}

// The kernel spares a first process only signals that its main thread does not block just then.
func TestEverySignalThatCanBeCaughtIs(t *testing.T) {
	n := firstProcess(t)
	r := n.output(&guestpb.ExecRequest{Argv: shell("sed -n 's/^SigCgt:\\t//p' /proc/1/status"), User: "root", WorkingDirectory: []byte("/")})
	// All of 64 but KILL, 9, and STOP, 19.
	if string(r.stdout) != "fffffffffffbfeff\n" {
		t.Fatalf("caught are %q", r.stdout)
	}
	r = n.output(&guestpb.ExecRequest{Argv: shell("sed -n 's/^Sig[IC]g[nt]:\\t//p' /proc/self/status"), User: "root", WorkingDirectory: []byte("/")})
	if string(r.stdout) != "0000000000000000\n0000000000000000\n" {
		t.Fatalf("a session ignores and catches %q", r.stdout)
	}
}

func TestLoopbackIsUpAndOrphansAreReaped(t *testing.T) {
	n := firstProcess(t)
	r := n.output(&guestpb.ExecRequest{Argv: words("bash", "-c", `exec 3<>/dev/udp/127.0.0.1/9 && echo up; for i in $(seq 200); do (true &); done; sleep 0.3; grep -l '^State:.Z' /proc/[0-9]*/status | wc -l`)})
	if string(r.stdout) != "up\n0\n" {
		t.Fatalf("got %q, %q", r.stdout, r.stderr)
	}
}

func TestATimeoutKillsProcessesOfEveryUserWithoutTheRightToAskForTheirLimits(t *testing.T) {
	n := firstProcess(t)
	info := n.exec(&guestpb.ExecRequest{
		Argv: shell(`(setsid sleep 301 &); (setsid setpriv --reuid 1000 --clear-groups sleep 302 &); echo ready; exec sleep 303`), User: "root",
		WorkingDirectory: []byte("/"), TimeoutMs: 1_500,
	})
	n.attach(info.Id, wire.ModeObserve, 0).readUntil("ready")
	if ended := n.await(info.Id); ended.Cause != timedOut || ended.DescendantsLeft != 0 {
		t.Fatalf("got %+v", ended)
	}
	if r := n.output(&guestpb.ExecRequest{Argv: words("pgrep", "-x", "sleep")}); len(r.stdout) > 0 {
		t.Fatalf("these live on: %q", r.stdout)
	}
}

func TestAFullStopOfTheSandboxLeavesNothing(t *testing.T) {
	n := firstProcess(t)
	n.exec(&guestpb.ExecRequest{Argv: shell("trap '' TERM; while :; do sleep 1; done")})
	if _, err := n.guest.Shutdown(context.Background(), &guestpb.ShutdownRequest{GraceMs: 50}); err != nil {
		t.Fatal(err)
	}
	n.guest = nil
	if err := n.command.Wait(); err != nil {
		t.Fatal(err)
	}
	if alive := processesFrom(t, uint32(firstHostID), uint32(firstHostID+idRange)); len(alive) > 0 {
		t.Fatalf("these live on: %v", alive)
	}
}

// processesFrom are the processes whose user is in the range.
func processesFrom(t testing.TB, from, to uint32) (found []string) {
	t.Helper()
	paths, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path + "/status")
		if err != nil {
			continue
		}
		var uid uint32
		for line := range strings.SplitSeq(string(text), "\n") {
			_, _ = fmt.Sscanf(line, "Uid: %d", &uid)
		}
		if uid >= from && uid < to {
			found = append(found, filepath.Base(path))
		}
	}
	return found
}
