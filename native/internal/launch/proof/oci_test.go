package proof

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"cortex.dev/native/internal/launch"
	"cortex.dev/native/internal/launch/process"
	"golang.org/x/sys/unix"
)

func TestASandboxSeesItselfAndNothingOfTheHost(t *testing.T) {
	onEach(t, checkASandboxSeesItselfAndNothingOfTheHost)
}

func checkASandboxSeesItselfAndNothingOfTheHost(t *testing.T, w *world) {
	spec := w.spec("inside")
	started, box := w.start(spec)

	// Of the groups that only a JVM looks for the sandbox sees its own names: nobody is in them.
	const witnesses = "/sys/fs/cgroup/cpu(acct|set) "
	seen := box.sh(0, "grep -vhE '"+witnesses+"' /proc/self/mountinfo /proc/1/mountinfo; cat /proc/self/cgroup; ls -l /proc/1/fd /proc/1/exe /proc/1/cwd /proc/1/root; cat /proc/net/unix")
	secret := []string{w.base, filepath.Dir(programs.first), "cortex-proof"}
	if w.flavour != "runsc" {
		// gVisor tells of the inside's own sockets, and of the console that it is the host's.
		secret = append(secret, ".sock")
		if !strings.Contains(seen, "-> /console.log") {
			t.Errorf("the console is not there:\n%s", seen)
		}
	}
	for _, host := range secret {
		if strings.Contains(seen, host) {
			t.Errorf("%q can be seen inside:\n%s", host, seen)
		}
	}
	processes := box.sh(0, "ls -d /proc/[0-9]* | wc -l; cat /proc/1/cmdline | tr '\\0' ' '")
	if !strings.Contains(processes, "/run/cortex/neuron") || len(strings.Fields(processes)[0]) > 1 {
		t.Errorf("the processes inside are %s", processes)
	}
	if status := box.sh(1000, "grep -E 'CapEff|CapPrm|CapAmb|NoNewPrivs|Seccomp:' /proc/self/status | tr -s '\\t\\n' ' '"); status !=
		"CapPrm: 0000000000000000 CapEff: 0000000000000000 CapAmb: 0000000000000000 NoNewPrivs: 1 Seccomp: 2" {
		t.Errorf("a user has %s", status)
	}
	owned := map[string]string{
		"/": "0:0", "/usr": "0:0", "/usr/bin/env": "0:0", "/root": "0:0", "/tmp": "0:0", "/home/agent": "1000:1000",
		"/run/cortex/neuron": "0:0",
	}
	if w.flavour == "runsc" {
		owned["/run/cortex/neuron"] = "65534:65534" // gVisor mounts it itself, as it lies on the host
	}
	for path, want := range owned {
		if owner := box.sh(0, "stat -c %u:%g "+path); owner != want {
			t.Errorf("the owner of %s is %s, not %s", path, owner, want)
		}
	}
	if mapped, err := os.ReadFile("/proc/self/uid_map"); err != nil || strings.Contains(string(mapped), "1000000") {
		t.Errorf("the host's own mapping is %s, %v", mapped, err)
	}
	host, err := os.Stat("/proc/self/ns/user")
	w.must(err)
	inside, err := os.Stat("/proc/" + itoa(started.Pid) + "/ns/user")
	w.must(err)
	if os.SameFile(host, inside) {
		t.Error("it has no user namespace of its own")
	}
}

func TestThereIsNoNetworkAndItFailsAtOnce(t *testing.T) {
	onEach(t, checkThereIsNoNetworkAndItFailsAtOnce)
}

func checkThereIsNoNetworkAndItFailsAtOnce(t *testing.T, w *world) {
	_, box := w.start(w.spec("net"))
	began := time.Now()
	answer := box.python(1000, `
import socket, errno
for family, host in ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1")):
    try: socket.socket(family).connect((host, 80))
    except OSError as e: print(errno.errorcode[e.errno])
try: socket.getaddrinfo("cortex.example", 80)
except socket.gaierror as e: print("gai")
s = socket.create_server(("127.0.0.1", 0)); socket.create_connection(s.getsockname()); print("loopback")`)
	if answer != "ENETUNREACH\nENETUNREACH\ngai\nloopback" {
		t.Errorf("answered %s", answer)
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("it took %v", took)
	}
}

func TestLimitsHoldAndTheirCountersAreTold(t *testing.T) {
	onHostKernel(t, checkLimitsHoldAndTheirCountersAreTold)
}

func checkLimitsHoldAndTheirCountersAreTold(t *testing.T, w *world) {
	spec := w.spec("limits")
	started, box := w.start(spec)
	if limit := box.sh(1000, "cd /sys/fs/cgroup; cat memory.max pids.max 2>/dev/null || cat memory/memory.limit_in_bytes pids/pids.max; nproc"); limit != "268435456\n100\n1" {
		t.Errorf("inside, the limits are %s", limit)
	}
	if _, status := box.ask(request{Argv: []string{"/bin/sh", "-c", "cd /sys/fs/cgroup; echo max > pids.max || echo max > pids/pids.max"}}); status == 0 {
		t.Error("root inside changed its limit")
	}
	refused := box.python(1000, `
import os, time
n = 0
try:
    while n < 300:
        if os.fork() == 0: time.sleep(60); os._exit(0)
        n += 1
except BlockingIOError: print("refused", 50 < n < 100)
os.kill(-1, 9)`)
	if !strings.HasPrefix(refused, "refused True") {
		t.Errorf("processes: %s", refused)
	}
	if _, status := box.ask(request{Argv: []string{"/usr/bin/python3", "-c", "x = bytearray(400 << 20)"}, UID: 1000}); status == 0 {
		t.Error("400 MiB were had under a limit of 256")
	}
	if _, status := box.ask(request{Argv: []string{"/bin/true"}}); status != 0 {
		t.Error("the first process did not survive")
	}
	stopped := w.stop(spec, &started)
	if c := stopped.Counters; c == nil || c.OomKills < 1 || c.PidsRefused < 1 || c.MemoryPeakBytes < 200<<20 {
		t.Errorf("counted %+v", stopped.Counters)
	}
}

func TestTheDiskIsStoredUnshiftedAndMovesBetweenUidRanges(t *testing.T) {
	w := newWorld(t)
	spec := w.spec("disk")
	started, box := w.start(spec)
	box.sh(0, `set -e
		echo data > /home/agent/mine; chown agent:agent /home/agent/mine; cp /bin/true /usr/bin/owned; chmod 4755 /usr/bin/owned
		chmod 700 /usr/bin/env; rm /usr/bin/tac; mkdir /usr/share/doc.new; rm -r /usr/share/doc; mv /usr/share/doc.new /usr/share/doc`)
	w.stop(spec, &started)

	upper := w.path("disk/disk")
	for file, owner := range map[string]uint32{"root/upper/home/agent/mine": 1000, "usr/upper/bin/owned": 0, "usr/upper/bin/env": 0, "usr/upper/bin/tac": 0} {
		var stat unix.Stat_t
		if err := unix.Lstat(filepath.Join(upper, file), &stat); err != nil || stat.Uid != owner || stat.Gid != owner {
			t.Errorf("%s belongs to %d:%d, %v", file, stat.Uid, stat.Gid, err)
		}
	}
	if _, err := os.Stat("/usr/bin/tac"); err != nil {
		t.Fatal("the host's file was removed")
	}

	w.must(os.MkdirAll(spec.Bundle, 0o700))
	elsewhere := []launch.IDRange{{ContainerID: 0, HostID: 3_000_000, Size: 65536}}
	spec.Idmap = &launch.Mapping{Uids: elsewhere, Gids: elsewhere}
	edit(t, &spec, func(config map[string]any) {
		moved := []any{map[string]any{"containerID": 0, "hostID": 3_000_000, "size": 65536}}
		linux := config["linux"].(map[string]any)
		linux["uidMappings"], linux["gidMappings"] = moved, moved
	})
	again, box := w.start(spec)
	if answer := box.sh(1000, "cat /home/agent/mine; stat -c %u /home/agent/mine /usr/bin/owned; ls /usr/bin/tac 2>&1; ls /usr/share/doc | wc -l; stat -c %a /usr/bin/env"); answer !=
		"data\n1000\n0\nls: cannot access '/usr/bin/tac': No such file or directory\n0\n700" {
		t.Errorf("in another range the disk shows %s", answer)
	}
	w.stop(spec, &again)
	text, status := w.call("wipe", nil, upper)
	if _, err := os.Lstat(upper); status != 0 || err == nil {
		t.Errorf("wipe answered %s", text)
	}
}

func TestRealProgramsRunUnderTheFilter(t *testing.T) {
	w := newWorld(t)
	spec := w.spec("programs")
	spec.Cgroup.MemoryBytes, spec.Cgroup.CPUQuotaMicros, spec.Cgroup.Cpus = 1<<30, 0, 0
	_, box := w.start(spec)
	for name, script := range map[string]string{
		"python": `python3 -c 'import threading, subprocess, sqlite3, ssl, multiprocessing as m
with m.Pool(2) as p: print(sum(p.map(abs, [-20, -22])))'`,
		"node": `node -e 'new (require("worker_threads").Worker)("require(\"worker_threads\").parentPort.postMessage(42)", {eval: true}).on("message", console.log)'`,
		"gcc": `cd /tmp && printf '#include <pthread.h>\n#include <stdio.h>\nvoid *f(void *x){return x;}
int main(){pthread_t t; pthread_create(&t,0,f,0); pthread_join(t,0); puts("42");}' > a.c && gcc -O2 a.c -o a -lpthread && ./a`,
		"git":  `cd /tmp && git init -q r && cd r && echo 42 > f && git add f && git -c user.name=a -c user.email=a@b commit -qm m && git show HEAD:f`,
		"vi":   `cd /tmp && printf 'x' > v && script -qec 'TERM=xterm vi -es -c "s/x/42/" -c wq v' /dev/null >/dev/null </dev/null; cat v`,
		"tar":  `cd /tmp && mkdir -p t && echo 42 > t/f && tar czf t.tgz t && rm -r t && tar xzf t.tgz && cat t/f`,
		"perl": `perl -e 'print 42'`,
	} {
		t.Run(name, func(t *testing.T) {
			inner := *box
			inner.t = t
			if output := inner.sh(1000, "export HOME=/tmp/h; mkdir -p $HOME; "+script); output != "42" {
				t.Errorf("printed %q", output)
			}
		})
	}
}

func TestStopFindsWhatACutOffStartLeft(t *testing.T) { onEach(t, checkStopFindsWhatACutOffStartLeft) }

func checkStopFindsWhatACutOffStartLeft(t *testing.T, w *world) {
	spec := w.spec("cut")
	_, box := w.start(spec)
	box.ask(request{Argv: []string{"/bin/sleep", "300"}, Detach: true})
	stopped := w.stop(spec, nil) // no pid, no start time: by group and mark
	if stopped.Killed < 2 {
		t.Errorf("killed %d", stopped.Killed)
	}
	if again := w.stop(spec, nil); again.Killed != 0 {
		t.Errorf("the second time it killed %d", again.Killed)
	}
}

func TestAStartThatIsKilledAtAnyMomentIsCleanedUpByStop(t *testing.T) {
	onEach(t, checkAStartThatIsKilledAtAnyMomentIsCleanedUpByStop)
}

func checkAStartThatIsKilledAtAnyMomentIsCleanedUpByStop(t *testing.T, w *world) {
	w.killedAtAnyMoment(func(id string) launch.Spec { return w.spec(id) }, 40*time.Millisecond)
}

// killedAtAnyMoment cuts starts off, each a little later than the one before.
func (w *world) killedAtAnyMoment(spec func(id string) launch.Spec, longest time.Duration) {
	w.t.Helper()
	const times = 25
	for i := range times {
		spec := spec("killed" + itoa(i))
		text, err := json.Marshal(spec)
		w.must(err)
		command := exec.Command(programs.launcher, "start")
		command.Stdin = bytes.NewReader(text)
		command.SysProcAttr = &syscall.SysProcAttr{Credential: w.user}
		w.must(command.Start())
		time.Sleep(longest * time.Duration(i) / times)
		_ = command.Process.Kill()
		_ = command.Wait()
		w.stop(spec, nil)
		if _, err := os.Lstat(filepath.Join(spec.Runtime.StateRoot, spec.ID)); err == nil {
			w.t.Errorf("cut off after %v, the runtime's state is left", longest*time.Duration(i)/times)
		}
	}
	until(w.t, func() bool { left, err := process.Marked(mark); return err == nil && len(left) == 0 })
}

func TestAPausedSandboxIsSeenAndStops(t *testing.T) { onEach(t, checkAPausedSandboxIsSeenAndStops) }

func checkAPausedSandboxIsSeenAndStops(t *testing.T, w *world) {
	spec := w.spec("paused")
	started, box := w.start(spec)
	handle := launch.Observe{Key: "k", Pid: started.Pid, StartTime: started.StartTime, BootID: started.BootID, CgroupName: spec.Cgroup.Name}
	if seen := w.observe(handle); seen.State != launch.Running {
		t.Errorf("saw %+v", seen)
	}
	ask := launch.PauseSpec{
		Version: launch.Version, ID: spec.ID, CgroupName: spec.Cgroup.Name,
		Pid: started.Pid, StartTime: started.StartTime, BootID: started.BootID,
	}
	for range 2 { // the second is no error
		w.change("pause", ask, launch.Paused)
		if seen := w.observe(handle); seen.State != launch.Paused {
			t.Fatalf("saw %+v", seen)
		}
	}
	answered := make(chan string, 1)
	go func() { answered <- box.sh(0, "echo on") }()
	select {
	case output := <-answered:
		t.Fatalf("it went on although it is paused: %s", output)
	case <-time.After(300 * time.Millisecond):
	}
	w.change("resume", ask, launch.Running)
	if output := <-answered; output != "on" {
		t.Fatalf("after resume it printed %q", output)
	}
	if seen := w.observe(handle); seen.State != launch.Running {
		t.Fatalf("saw %+v", seen)
	}
	w.change("pause", ask, launch.Paused)
	w.stop(spec, &started)
	if seen := w.observe(handle); seen.State != launch.Absent {
		t.Errorf("saw %+v", seen)
	}
}

// change pauses or resumes.
func (w *world) change(verb string, ask launch.PauseSpec, want launch.State) {
	w.t.Helper()
	text, status := w.call(verb, ask)
	var changed launch.Changed
	if err := json.Unmarshal([]byte(text), &changed); err != nil || status != 0 || changed.State != want {
		w.t.Fatalf("%s answered %d %s", verb, status, text)
	}
}

func (w *world) observe(handle launch.Observe) launch.Observation {
	w.t.Helper()
	text, status := w.call("observe", launch.ObserveSpec{Version: launch.Version, Handles: []launch.Observe{handle}})
	var observed launch.Observed
	if err := json.Unmarshal([]byte(text), &observed); err != nil || status != 0 {
		w.t.Fatalf("observe answered %d %s", status, text)
	}
	return observed.Observations[handle.Key]
}

func TestWhatIsGoneIsNotPaused(t *testing.T) {
	w := newWorld(t)
	spec := w.spec("gone")
	started, _ := w.start(spec)
	w.stop(spec, &started)
	text, status := w.call("pause", launch.PauseSpec{
		Version: launch.Version, ID: spec.ID, CgroupName: spec.Cgroup.Name,
		Pid: started.Pid, StartTime: started.StartTime, BootID: started.BootID,
	})
	if status != 1 || !strings.Contains(text, string(launch.NotFound)) {
		t.Errorf("pause answered %d %s", status, text)
	}
}

func TestASecondStartOfTheSameSandboxIsRefusedAndTheFirstLives(t *testing.T) {
	onEach(t, checkASecondStartOfTheSameSandboxIsRefusedAndTheFirstLives)
}

func checkASecondStartOfTheSameSandboxIsRefusedAndTheFirstLives(t *testing.T, w *world) {
	spec := w.spec("twice")
	started, _ := w.start(spec)
	second, other := spec, *spec.Listen
	other.Path = w.path("run/twice/other.sock")
	second.Listen = &other
	text, status := w.call("start", second)
	if status == 0 || !strings.Contains(text, string(launch.AlreadyExists)) {
		t.Errorf("answered %d %s", status, text)
	}
	if !alive(started.Pid) {
		t.Error("the first was killed")
	}
	dial(t, spec.Listen.Path).sh(0, "true")
}

func TestAFailedStartSaysWhyAndLeavesNothing(t *testing.T) {
	for name, example := range map[string]struct {
		spoil func(*world, *launch.Spec)
		code  launch.Code
		words string
	}{
		"no neuron": {func(w *world, s *launch.Spec) {
			edit(t, s, func(c map[string]any) { c["process"].(map[string]any)["args"] = []string{"/run/cortex/none"} })
		}, launch.DriverFailed, "/run/cortex/none"},
		"no layer": {func(w *world, s *launch.Spec) { s.Mounts[0].Overlay.Lowers[0] = w.path("none") }, launch.DriverFailed, "none"},
		"no crun":  {func(w *world, s *launch.Spec) { s.Runtime.Program = "/usr/bin/no-crun" }, launch.NotReady, "no-crun"},
		"kata":     {func(w *world, s *launch.Spec) { s.Runtime.Flavour = "kata" }, launch.Unsupported, "kata"},
		"an open disk": {func(w *world, s *launch.Spec) {
			w.must(os.Chmod(filepath.Dir(s.Mounts[0].Overlay.Upper), 0o755))
		}, launch.InvalidArgument, "entered by others"},
		"a layer that cannot be idmapped": {func(w *world, s *launch.Spec) { s.Mounts[0].Overlay.Lowers[0] = "/proc/sys" }, launch.NotReady, "idmapped"},
		"a disk that cannot be a layer": {func(w *world, s *launch.Spec) {
			s.Mounts = s.Mounts[1:]
			s.Mounts[0].Overlay.IdmapUpper = false
			s.Mounts[0].Overlay.Target = "/"
			// An overlay is no upper layer for another.
			mounted := w.path("disk/failing/usr")
			for _, dir := range []string{"u", "v"} {
				w.must(os.Mkdir(w.path(dir), 0o755))
			}
			w.must(unix.Mount("overlay", mounted, "overlay", 0, "lowerdir="+w.path("image")+",upperdir="+w.path("u")+",workdir="+w.path("v")))
			w.t.Cleanup(func() { _ = unix.Unmount(mounted, unix.MNT_DETACH) })
		}, launch.NotReady, "overlay"},
		"a bad config": {func(w *world, s *launch.Spec) { s.Config = launch.RawObject(`{"mounts":[]}`) }, launch.DriverFailed, "crun"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			spec := w.spec("failing")
			example.spoil(w, &spec)
			w.failed(spec, example.code, example.words)
		})
	}
}

func TestALinkThatAGuestLeftOnItsDiskLeadsNowhere(t *testing.T) {
	onEach(t, checkALinkThatAGuestLeftOnItsDiskLeadsNowhere)
}

func checkALinkThatAGuestLeftOnItsDiskLeadsNowhere(t *testing.T, w *world) {
	spec := w.spec("links")
	started, box := w.start(spec)
	outside := w.path("outside")
	w.must(os.Mkdir(outside, 0o755))
	box.sh(0, "cd /; mkdir -p "+outside+"; ln -s "+outside+" /data; ln -s ../../../../../.."+outside+" /srv")
	w.stop(spec, &started)

	w.must(os.MkdirAll(spec.Bundle, 0o700))
	w.must(os.WriteFile(w.path("shown"), []byte("shown"), 0o644))
	for _, target := range []string{"/data/new/file", "/srv/other"} {
		spec.Mounts = append(spec.Mounts, launch.Mount{Bind: &launch.Bind{Source: w.path("shown"), Target: target, ReadOnly: true, File: true}})
	}
	again, box := w.start(spec)
	if shown := box.sh(0, "cat /data/new/file /srv/other"); shown != "shownshown" {
		t.Errorf("inside it reads %q", shown)
	}
	left, err := os.ReadDir(outside)
	if err != nil || len(left) > 0 {
		t.Errorf("outside there is %v, %v", left, err)
	}
	w.stop(spec, &again)
}

func TestALinkThroughProcIsNotFollowed(t *testing.T) {
	w := newWorld(t)
	spec := w.spec("magic")
	started, box := w.start(spec)
	box.sh(0, "rmdir /mnt; ln -s /proc/self/root/etc /mnt")
	w.stop(spec, &started)
	w.must(os.MkdirAll(spec.Bundle, 0o700))
	spec.Mounts = append(spec.Mounts, launch.Mount{Tmpfs: &launch.Tmpfs{Target: "/mnt/x", Size: 4096}})
	w.failed(spec, launch.DriverFailed, "/mnt/x")
}

// What the kernel counts by user is counted beneath a user namespace's owner.
func TestTheUserNamespaceBelongsToTheSandboxsRoot(t *testing.T) {
	w := newWorld(t)
	started, _ := w.start(w.spec("owner"))
	namespace, err := os.Open(fmt.Sprintf("/proc/%d/ns/user", started.Pid))
	w.must(err)
	defer namespace.Close()
	owner, err := unix.IoctlGetUint32(int(namespace.Fd()), unix.NS_GET_OWNER_UID)
	w.must(err)
	if owner != 1_000_000 {
		t.Errorf("its owner is user %d", owner)
	}
}
