package proof

import (
	"encoding/json"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"cortex.dev/native/internal/launch"
	"cortex.dev/native/internal/launch/process"
	"golang.org/x/sys/unix"
)

func itoa(n int) string { return strconv.Itoa(n) }

// rootlessUser makes an ordinary user with subordinate ids, for one test.
func rootlessUser(t *testing.T) *syscall.Credential {
	t.Helper()
	name := "cortexproof" + itoa(os.Getpid()%10000)
	if text, err := exec.Command("useradd", "--no-create-home", "--shell", "/bin/sh", name).CombinedOutput(); err != nil {
		t.Fatalf("useradd: %v: %s", err, text)
	}
	t.Cleanup(func() {
		if text, err := exec.Command("userdel", name).CombinedOutput(); err != nil {
			t.Errorf("userdel: %v: %s", err, text)
		}
	})
	// useradd gives ranges only where it thinks of an ordinary user.
	subuid, _ := os.ReadFile("/etc/subuid")
	if !strings.Contains(string(subuid), name+":") {
		t.Fatalf("useradd gave no subordinate ids: %s", subuid)
	}
	found, err := user.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	uid, _ := strconv.Atoi(found.Uid)
	gid, _ := strconv.Atoi(found.Gid)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid), Groups: []uint32{uint32(gid)}}
}

func (w *world) ofUser(credential *syscall.Credential) {
	w.t.Helper()
	w.user = credential
	w.must(filepath.WalkDir(w.base, func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, int(credential.Uid), int(credential.Gid))
	}))
}

// rootlessSpec has the host's /usr read-only below a disk of the user.
func (w *world) rootlessSpec(id string) launch.Spec {
	spec := w.spec(id)
	spec.Idmap, spec.Cgroup, spec.Rootless = nil, nil, &launch.Mapping{}
	root := *spec.Mounts[0].Overlay
	root.IdmapLowers, root.IdmapUpper, root.Userxattr = false, false, true
	neuron := *spec.Mounts[3].Bind
	neuron.Idmap = false
	spec.Mounts = []launch.Mount{
		{Overlay: &root},
		{Bind: &launch.Bind{Source: "/usr", Target: "/usr", ReadOnly: true, Recursive: true}},
		spec.Mounts[2], {Bind: &neuron}, spec.Mounts[4],
	}
	edit(w.t, &spec, func(config map[string]any) {
		// In two ranges, as the launcher's namespace has them.
		same := []any{
			map[string]any{"containerID": 0, "hostID": 0, "size": 1},
			map[string]any{"containerID": 1, "hostID": 1, "size": 65535},
		}
		linux := config["linux"].(map[string]any)
		linux["uidMappings"], linux["gidMappings"] = same, same
	})
	return spec
}

func TestAnOrdinaryUserStartsAndStopsASandbox(t *testing.T) {
	onHostKernel(t, checkAnOrdinaryUserStartsAndStopsASandbox)
}

func checkAnOrdinaryUserStartsAndStopsASandbox(t *testing.T, w *world) {
	spec := w.rootlessSpec("rootless")
	w.ofUser(rootlessUser(t))
	started, box := w.start(spec)
	if answer := box.sh(1000, "id -u; python3 -c 'print(6*7)'; grep -E 'CapEff|NoNewPrivs|Seccomp:' /proc/self/status | tr -s '\\t\\n' ' '"); answer !=
		"1000\n42\nCapEff: 0000000000000000 NoNewPrivs: 1 Seccomp: 2" {
		t.Errorf("answered %s", answer)
	}
	box.sh(0, "mkdir /var/d && touch /var/d/f && chown -R 1000:1000 /var/d && chmod 700 /var/d && ls /sys/fs/cgroup")
	if seen := box.sh(0, "cat /proc/self/mountinfo"); strings.Contains(seen, w.base) || strings.Contains(seen, filepath.Dir(programs.first)) {
		t.Errorf("the host's paths can be seen: %s", seen)
	}
	box.ask(request{Argv: []string{"/bin/sleep", "300"}, UID: 1000, Detach: true})
	w.stop(spec, &started)

	text, status := w.call("usage", nil, "--rootless", w.path("disk"))
	var used launch.Used
	if err := json.Unmarshal([]byte(text), &used); err != nil || status != 0 || used.Entries < 8 {
		t.Errorf("usage answered %d %s", status, text)
	}
	text, status = w.call("wipe", nil, "--rootless", w.path("disk"))
	if _, err := os.Lstat(w.path("disk")); status != 0 || err == nil {
		t.Errorf("wipe answered %d %s", status, text)
	}
}

func TestAnOrdinaryUsersStartThatIsKilledIsCleanedUpByStop(t *testing.T) {
	onHostKernel(t, checkAnOrdinaryUsersStartThatIsKilledIsCleanedUpByStop)
}

func checkAnOrdinaryUsersStartThatIsKilledIsCleanedUpByStop(t *testing.T, w *world) {
	credential := rootlessUser(t)
	w.killedAtAnyMoment(func(id string) launch.Spec {
		spec := w.rootlessSpec(id)
		w.ofUser(credential)
		return spec
	}, 60*time.Millisecond)
}

func TestAnOrdinaryUserWithoutSubordinateIdsIsToldTheRemedy(t *testing.T) {
	w := newWorld(t)
	spec := w.rootlessSpec("nosub")
	nobody, err := user.Lookup("nobody")
	w.must(err)
	uid, _ := strconv.Atoi(nobody.Uid)
	gid, _ := strconv.Atoi(nobody.Gid)
	w.ofUser(&syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)})
	text, status := w.call("start", spec)
	if status != 1 || !strings.Contains(text, string(launch.NotReady)) || !strings.Contains(text, "usermod --add-subuids") {
		t.Errorf("answered %d %s", status, text)
	}
}

func (w *world) processSpec(id string) launch.Spec {
	w.must(os.MkdirAll(w.path("run", id), 0o700))
	w.must(os.MkdirAll(w.path("disk", id), 0o700))
	return launch.Spec{
		Version: launch.Version, ID: id,
		Runtime: launch.Runtime{Kind: launch.None},
		Process: &launch.Process{
			Argv: []string{programs.first, "", "two words"}, Env: []string{"PATH=/usr/bin:/bin", "EMPTY="},
			Cwd: w.path("disk", id), Mark: uint64(os.Getpid())<<30 | 1<<22,
		},
		Listen:  &launch.Listen{Path: w.path("run", id, "n.sock")},
		Cgroup:  &launch.Cgroup{Name: "cortex-proof/" + id, Pids: 200},
		Console: w.path("run", id, "console.log"),
		PidFile: w.path("run", id, "pid"),
	}
}

func TestAPlainProcessHasAMarkASessionAndAnEnvironmentOfItsOwn(t *testing.T) {
	for name, grouped := range map[string]bool{"with control groups": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			spec := w.processSpec("plain")
			if !grouped {
				spec.Cgroup = nil
			}
			started, box := w.start(spec)
			pid := itoa(started.Pid)
			cmdline, _ := os.ReadFile("/proc/" + pid + "/cmdline")
			environ, _ := os.ReadFile("/proc/" + pid + "/environ")
			cwd, _ := os.Readlink("/proc/" + pid + "/cwd")
			written, _ := os.ReadFile(spec.PidFile)
			if string(cmdline) != programs.first+"\x00\x00two words\x00" || string(environ) != "PATH=/usr/bin:/bin\x00EMPTY=\x00" ||
				cwd != spec.Process.Cwd || string(written) != pid+"\n" {
				t.Errorf("it is %q in %s with %q, pid file %q", cmdline, cwd, environ, written)
			}
			if got := box.sh(0, "ulimit -S -x; ps -o sid= -p "+pid+" | tr -d ' '"); got != strconv.FormatUint(spec.Process.Mark, 10)+"\n"+pid {
				t.Errorf("inside: %q", got)
			}
			descriptors, _ := os.ReadDir("/proc/" + pid + "/fd")
			for _, descriptor := range descriptors {
				to, _ := os.Readlink("/proc/" + pid + "/fd/" + descriptor.Name())
				if !strings.HasPrefix(to, "socket:") && !strings.HasPrefix(to, "anon_inode:") && !strings.HasPrefix(to, "pipe:") &&
					!strings.HasPrefix(to, "/sys/fs/cgroup/") && to != "/dev/null" && to != spec.Console {
					t.Errorf("it was given %s", to)
				}
			}
			// Descendants that leave every group that can be left.
			box.sh(0, "for i in 1 2 3; do setsid sh -c 'setsid sleep 300 & setsid sleep 300 &' >/dev/null 2>&1 & done; wait")
			stopped := w.stop(spec, &started)
			if stopped.Killed < 7 {
				t.Errorf("killed %d", stopped.Killed)
			}
			if left, err := process.Marked(spec.Process.Mark); err != nil || len(left) > 0 {
				t.Errorf("of the sandbox %v are left, %v", left, err)
			}
		})
	}
}

func TestAPlainProcessIsPausedWithAllItsDescendants(t *testing.T) {
	for name, grouped := range map[string]bool{"by its group": true, "by signals": false} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			spec := w.processSpec("pausing")
			if !grouped {
				spec.Cgroup = nil
			}
			started, box := w.start(spec)
			count := w.path("count")
			box.ask(request{Argv: []string{"/usr/bin/setsid", "sh", "-c", "for i in $(seq 10000); do echo $i >>" + count + "; sleep 0.01; done"}, Detach: true})
			until(t, func() bool { return size(count) > 0 })
			ask := launch.PauseSpec{
				Version: launch.Version, ID: spec.ID, Mark: spec.Process.Mark, StoppedFile: w.path("stopped"),
				Pid: started.Pid, StartTime: started.StartTime, BootID: started.BootID,
			}
			handle := launch.Observe{Key: "k", Pid: started.Pid, StartTime: started.StartTime, BootID: started.BootID}
			if grouped {
				ask.CgroupName, handle.CgroupName = spec.Cgroup.Name, spec.Cgroup.Name
			}
			w.change("pause", ask, launch.Paused)
			until(t, func() bool { return w.observe(handle).State == launch.Paused })
			before := size(count)
			time.Sleep(200 * time.Millisecond)
			if after := size(count); after != before {
				t.Errorf("it wrote on, from %d to %d bytes", before, after)
			}
			w.change("resume", ask, launch.Running)
			until(t, func() bool { return size(count) > before })
		})
	}
}

func size(file string) int64 {
	info, err := os.Stat(file)
	if err != nil {
		return 0
	}
	return info.Size()
}

func TestAPlainProcessThatCannotRunSaysWhy(t *testing.T) {
	w := newWorld(t)
	spec := w.processSpec("noplain")
	spec.Process.Argv = []string{"/etc/passwd"}
	w.failed(spec, launch.DriverFailed, "permission denied")
	spec.Process.Argv, spec.Process.Cwd = []string{programs.first}, "/nonexistent"
	w.failed(spec, launch.DriverFailed, "/nonexistent")
}

func TestAPromptProgramHasShortSlicesAndWhatALauncherStartsForItHasNot(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	script := "launcher=$0; $launcher detach -- sleep 300; echo $$; sleep 300"
	output, err := exec.Command(programs.launcher, "detach", "--log", log, "--prompt", "--", "sh", "-c", script, programs.launcher).Output()
	if err != nil {
		t.Fatal(err)
	}
	prompt, err := strconv.Atoi(strings.TrimSpace(string(output)))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Kill(-prompt, syscall.SIGKILL) }()
	var pids []string
	until(t, func() bool {
		text, _ := os.ReadFile(log)
		pids = strings.Fields(string(text))
		return len(pids) == 2
	})
	child, err := strconv.Atoi(pids[0])
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Kill(-child, syscall.SIGKILL) }()
	usual := sliceOf(t, 0)
	if got := sliceOf(t, child); got != usual {
		t.Errorf("what its launcher started has slices of %d, not %d", got, usual)
	}
	if got := sliceOf(t, prompt); usual > 0 && got >= usual {
		t.Errorf("it has slices of %d, and others of %d", got, usual)
	}
}

// sliceOf is 0 before Linux 6.12, whose slices are all the same.
func sliceOf(t *testing.T, pid int) uint64 {
	t.Helper()
	attributes, err := unix.SchedGetAttr(pid, 0)
	if err != nil {
		t.Fatal(err)
	}
	return attributes.Runtime
}

func TestADetachedProgramOutlivesItsCaller(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	output, err := exec.Command(programs.launcher, "detach", "--log", log, "--", "sh", "-c", "echo out; echo err >&2; ps -o sid=,ppid= -p $$; sleep 300").Output()
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(output)))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Kill(-pid, syscall.SIGKILL) }()
	var text []byte
	until(t, func() bool { text, _ = os.ReadFile(log); return strings.Count(string(text), "\n") == 3 })
	if fields := strings.Fields(string(text)); fields[0] != "out" || fields[1] != "err" || fields[2] != itoa(pid) {
		t.Errorf("it wrote %q", text)
	}
}
