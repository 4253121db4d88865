package proof

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"cortex.dev/native/internal/launch"
	"cortex.dev/native/internal/testkit/need"
	"golang.org/x/sys/unix"
)

// mark is that of the configuration in testdata.
const mark = 3141592653589045248

// programs are built once for all tests.
var programs struct{ launcher, first, neuron string }

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	if os.Geteuid() != 0 {
		fmt.Fprintln(os.Stderr, "these tests need root")
		return 1
	}
	for _, program := range append(all(), "newuidmap", "newgidmap", "useradd", "setpriv") {
		if _, err := exec.LookPath(program); err != nil {
			fmt.Fprintln(os.Stderr, "these tests need crun, runc, uidmap (apt-get install -y crun runc uidmap) and runsc in PATH (./dev gvisor):", err)
			return 1
		}
	}
	// Where they were built before, as in a machine without Go.
	if dir := os.Getenv("CORTEX_TEST_PROGRAMS"); dir != "" {
		programs.launcher, programs.first = filepath.Join(dir, "launcher"), filepath.Join(dir, "first")
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "programs")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	// An ordinary user runs them as well.
	_ = os.Chmod(dir, 0o755)
	programs.launcher, programs.first = filepath.Join(dir, "launcher"), filepath.Join(dir, "first")
	programs.neuron = filepath.Join(dir, "neuron")
	for output, source := range map[string]string{
		programs.launcher: "cortex.dev/native/cmd/launcher",
		programs.neuron:   "cortex.dev/native/cmd/neuron",
		programs.first:    "cortex.dev/native/internal/launch/proof/first",
	} {
		build := exec.Command("go", "build", "-o", output, source)
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if text, err := build.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "building %s: %v\n%s", source, err, text)
			return 1
		}
	}
	return m.Run()
}

// world is a home for one test's sandbox, and the check that nothing is left.
type world struct {
	t    testing.TB
	base string
	// flavour is the runtime's.
	flavour string
	// user runs the launcher; nil: root.
	user *syscall.Credential
}

// all are the runtimes for which everything here must hold; an emulated machine, on which gVisor would
// take minutes, names those that it has.
func all() []string {
	if named := os.Getenv("CORTEX_TEST_RUNTIMES"); named != "" {
		return strings.Split(named, ",")
	}
	return []string{"crun", "runc", "runsc"}
}

// flavours are those on which this run does every test.
func flavours() []string {
	if isSlow() {
		return all()
	}
	return []string{"crun"}
}

func isSlow() bool { return os.Getenv("CI_SLOW") == "1" || os.Getenv("CORTEX_TEST_RUNTIMES") != "" }

func slow(t *testing.T) {
	t.Helper()
	if !isSlow() {
		need.Time(t)
	}
}

// onEach does a test with each runtime.
func onEach(t *testing.T, test func(*testing.T, *world)) {
	t.Helper()
	on(t, flavours(), test)
}

// onHostKernel leaves out the one whose sandboxes have a kernel of their own.
func onHostKernel(t *testing.T, test func(*testing.T, *world)) {
	t.Helper()
	on(t, slices.DeleteFunc(flavours(), func(f string) bool { return f == "runsc" }), test)
}

// onGvisor does a test with that one alone.
func onGvisor(t *testing.T, test func(*testing.T, *world)) {
	t.Helper()
	on(t, slices.DeleteFunc(all(), func(f string) bool { return f != "runsc" }), test)
}

func on(t *testing.T, wanted []string, test func(*testing.T, *world)) {
	t.Helper()
	for _, flavour := range wanted {
		t.Run(flavour, func(t *testing.T) {
			w := newWorld(t)
			w.flavour = flavour
			test(t, w)
		})
	}
}

func newWorld(t testing.TB) *world {
	t.Helper()
	// Not below /tmp, which is another one inside.
	base, err := os.MkdirTemp("/var/tmp", "w")
	if err != nil {
		t.Fatal(err)
	}
	mounts := hostMounts(t, base)
	t.Cleanup(func() {
		if after := hostMounts(t, base); after != mounts {
			t.Errorf("the host's mounts changed:\n%s\nto:\n%s", mounts, after)
		}
		if left, _ := filepath.Glob("/sys/fs/cgroup/*/cortex-proof*"); len(left) > 0 {
			t.Errorf("control groups are left: %v", left)
		}
		_ = os.RemoveAll(base)
	})
	w := &world{t: t, base: base, flavour: "crun"}
	w.skeleton()
	return w
}

// hostMounts are those that a sandbox could have changed: of its own folder, and of the kernel's file
// systems. Others on this machine may come and go.
func hostMounts(t testing.TB, base string) string {
	t.Helper()
	data, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		t.Fatal(err)
	}
	var ours strings.Builder
	for line := range strings.Lines(string(data)) {
		at := strings.Fields(line)[4]
		for _, prefix := range []string{base, "/proc", "/sys", "/dev", "/usr", "/tmp"} {
			if at == "/" || at == prefix || (prefix != "/tmp" && strings.HasPrefix(at, prefix+"/")) {
				ours.WriteString(line)
				break
			}
		}
	}
	return ours.String()
}

func (w *world) path(parts ...string) string {
	return filepath.Join(append([]string{w.base}, parts...)...)
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// skeleton is the lower layer beside the host's /usr.
func (w *world) skeleton() {
	w.t.Helper()
	for _, dir := range strings.Fields("proc sys dev tmp run usr etc root home/agent var/tmp mnt") {
		w.must(os.MkdirAll(w.path("image", dir), 0o755))
	}
	for _, link := range strings.Fields("bin sbin lib lib64") {
		w.must(os.Symlink("usr/"+link, w.path("image", link)))
	}
	accounts := "root:x:0:0::/root:/bin/bash\nagent:x:1000:1000::/home/agent:/bin/bash\n"
	w.must(os.WriteFile(w.path("image/etc/passwd"), []byte(accounts), 0o644))
	w.must(os.WriteFile(w.path("image/etc/group"), []byte("root:x:0:\nagent:x:1000:\n"), 0o644))
	w.must(os.Lchown(w.path("image/home/agent"), 1000, 1000))
	w.must(exec.Command("cp", "-a", "/etc/alternatives", "/etc/ld.so.cache", w.path("image/etc")).Run())
}

// spec is that of testdata, in this world: the host's /usr below the disk.
func (w *world) spec(id string) launch.Spec {
	w.t.Helper()
	for _, dir := range []string{"run/" + id + "/bundle", "disk/" + id + "/root", "disk/" + id + "/usr"} {
		w.must(os.MkdirAll(w.path(dir), 0o700))
	}
	disk, bundle := w.path("disk", id), w.path("run", id, "bundle")
	overlay := func(lower, name, target string) launch.Mount {
		return launch.Mount{Overlay: &launch.Overlay{
			Lowers: []string{lower}, Upper: filepath.Join(disk, name, "upper"), Work: filepath.Join(disk, name, "work"),
			Target: target, IdmapLowers: true, IdmapUpper: true,
		}}
	}
	ranges := []launch.IDRange{{ContainerID: 0, HostID: 1_000_000, Size: 65536}}
	spec := launch.Spec{
		Version: launch.Version,
		ID:      id,
		Runtime: w.runtime(id),
		Bundle:  bundle,
		Config:  w.config(bundle),
		Mounts: []launch.Mount{
			overlay(w.path("image"), "root", "/"),
			overlay("/usr", "usr", "/usr"),
			{Tmpfs: &launch.Tmpfs{Target: "/run", Size: 1 << 20}},
			{Bind: &launch.Bind{Source: programs.first, Target: "/run/cortex/neuron", ReadOnly: true, Idmap: true, File: true, Hidden: true}},
			{CgroupView: &launch.CgroupView{}},
		},
		Idmap:   &launch.Mapping{Uids: ranges, Gids: ranges},
		Listen:  &launch.Listen{Path: w.path("run", id, "n.sock")},
		Cgroup:  &launch.Cgroup{Name: "cortex-proof/" + id, MemoryBytes: 256 << 20, Pids: 100, CPUQuotaMicros: 100_000, Cpus: 1},
		Console: w.path("run", id, "console.log"),
		PidFile: w.path("run", id, "pid"),
	}
	if w.flavour == "runsc" {
		w.withGvisor(&spec)
	}
	return spec
}

// withGvisor shares the folder of the channel, and leaves file systems in memory
// to the sandbox's own kernel.
func (w *world) withGvisor(spec *launch.Spec) {
	w.t.Helper()
	const channel = "/run/cortex/channel"
	spec.Listen.Shared = w.path("run", spec.ID, "channel")
	spec.Mounts = spec.Mounts[:2]
	edit(w.t, spec, func(config map[string]any) {
		config["process"].(map[string]any)["args"] = []string{"/run/cortex/neuron", channel + "/n.sock"}
		mounts := config["mounts"].([]any)
		mounts = slices.DeleteFunc(mounts, func(m any) bool { return m.(map[string]any)["destination"] == "/sys/fs/cgroup" })
		config["mounts"] = append(mounts,
			map[string]any{"destination": "/sys/fs/cgroup", "type": "cgroup", "source": "cgroup", "options": []string{"rw"}},
			map[string]any{"destination": "/run", "type": "tmpfs", "source": "tmpfs", "options": []string{"nosuid", "nodev", "mode=755", "size=1048576"}},
			map[string]any{"destination": "/run/cortex/neuron", "type": "bind", "source": programs.first, "options": []string{"bind", "ro", "nosuid", "nodev"}},
			map[string]any{"destination": channel, "type": "bind", "source": spec.Listen.Shared, "options": []string{"bind", "rw"}})
	})
}

func (w *world) runtime(id string) launch.Runtime {
	w.t.Helper()
	program, err := exec.LookPath(w.flavour)
	w.must(err)
	return launch.Runtime{Kind: launch.Oci, Flavour: w.flavour, Program: program, StateRoot: w.path("run", id, "state")}
}

func (w *world) config(bundle string) launch.RawObject {
	w.t.Helper()
	text, err := os.ReadFile("../testdata/oci-config.json")
	w.must(err)
	const example = "/run/cortex/1f2e3d4c/sb_01kb8q5v3mfxw4s6y2r9t7c1ah/bundle"
	return launch.RawObject(bytes.ReplaceAll(text, []byte(example), []byte(bundle)))
}

// edit changes a part of a configuration.
func edit(t testing.TB, spec *launch.Spec, change func(map[string]any)) {
	t.Helper()
	var config map[string]any
	decoder := json.NewDecoder(bytes.NewReader(spec.Config))
	decoder.UseNumber()
	if err := decoder.Decode(&config); err != nil {
		t.Fatal(err)
	}
	change(config)
	text, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	spec.Config = text
}

// call runs a verb and gives its answer's text and exit status.
func (w *world) call(verb string, request any, arguments ...string) (string, int) {
	w.t.Helper()
	text, err := json.Marshal(request)
	w.must(err)
	command := exec.Command(programs.launcher, append([]string{verb}, arguments...)...)
	command.Stdin = bytes.NewReader(text)
	command.SysProcAttr = &syscall.SysProcAttr{Credential: w.user}
	var output, words bytes.Buffer
	command.Stdout, command.Stderr = &output, &words
	err = command.Run()
	if _, exited := err.(*exec.ExitError); err != nil && !exited {
		w.t.Fatal(err)
	}
	if words.Len() > 0 {
		w.t.Logf("launcher %s: %s", verb, words.String())
	}
	return output.String(), command.ProcessState.ExitCode()
}

// start starts and promises to stop.
func (w *world) start(spec launch.Spec) (launch.Started, *box) {
	w.t.Helper()
	started := w.begin(spec)
	return started, dial(w.t, spec.Listen.Path)
}

// begin starts, whatever the first process is.
func (w *world) begin(spec launch.Spec) launch.Started {
	w.t.Helper()
	text, status := w.call("start", spec)
	if status != 0 {
		console, _ := os.ReadFile(spec.Console)
		w.t.Fatalf("start answered %d %s; console: %s", status, text, console)
	}
	var started launch.Started
	w.must(json.Unmarshal([]byte(text), &started))
	w.t.Cleanup(func() { w.stop(spec, &started) })
	return started
}

func stopSpec(spec launch.Spec, started *launch.Started) launch.StopSpec {
	stop := launch.StopSpec{
		Version: launch.Version, ID: spec.ID, Runtime: spec.Runtime, Rootless: spec.Rootless,
		Bundle: spec.Bundle, PidFile: spec.PidFile, Mark: mark,
	}
	if spec.Listen != nil {
		stop.Socket, stop.Shared = spec.Listen.Path, spec.Listen.Shared
	}
	if spec.Process != nil {
		stop.Mark = spec.Process.Mark
	}
	if spec.Cgroup != nil {
		stop.CgroupName = spec.Cgroup.Name
	}
	if started != nil {
		stop.Pid, stop.StartTime, stop.BootID = started.Pid, started.StartTime, started.BootID
	}
	return stop
}

// stop stops and expects that nothing remains.
func (w *world) stop(spec launch.Spec, started *launch.Started) launch.Stopped {
	w.t.Helper()
	text, status := w.call("stop", stopSpec(spec, started))
	var stopped launch.Stopped
	if err := json.Unmarshal([]byte(text), &stopped); err != nil || status != 0 || len(stopped.Remaining) > 0 {
		w.t.Fatalf("stop answered %d %s", status, text)
	}
	for _, path := range []string{spec.Bundle, spec.Listen.Path, spec.PidFile} {
		if _, err := os.Lstat(path); path != "" && err == nil {
			w.t.Errorf("%s is still there", path)
		}
	}
	if started != nil && unix.Kill(started.Pid, 0) == nil && alive(started.Pid) {
		w.t.Errorf("process %d still lives", started.Pid)
	}
	return stopped
}

func alive(pid int) bool {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !strings.Contains(string(data), ") Z ")
}

// failed expects that a start fails with the code and leaves nothing.
func (w *world) failed(spec launch.Spec, code launch.Code, words string) {
	w.t.Helper()
	text, status := w.call("start", spec)
	var failed launch.Failed
	if err := json.Unmarshal([]byte(text), &failed); err != nil || failed.Error == nil || status != 1 {
		w.stop(spec, nil)
		w.t.Fatalf("start answered %d %s", status, text)
	}
	if failed.Error.Code != code || !strings.Contains(failed.Error.Message, words) {
		w.t.Errorf("start failed with %+v, want %s with %q", failed.Error, code, words)
	}
	for _, path := range []string{spec.Listen.Path, filepath.Join(spec.Runtime.StateRoot, spec.ID)} {
		if _, err := os.Lstat(path); err == nil {
			w.t.Errorf("%s is left of the failed start", path)
		}
	}
}

// box talks to the first process.
type box struct {
	t          testing.TB
	connection net.Conn
	lines      *bufio.Reader
}

func dial(t testing.TB, path string) *box {
	t.Helper()
	connection, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = connection.Close() })
	_ = connection.SetDeadline(time.Now().Add(2 * time.Minute))
	lines := bufio.NewReader(connection)
	if ready, err := lines.ReadByte(); err != nil || ready != 'R' {
		t.Fatalf("the first process answered %q, %v", ready, err)
	}
	return &box{t, connection, lines}
}

type request struct {
	Argv   []string `json:"argv"`
	UID    uint32   `json:"uid"`
	Detach bool     `json:"detach"`
}

func (b *box) ask(r request) (string, int) {
	b.t.Helper()
	text, err := json.Marshal(r)
	if err == nil {
		_, err = b.connection.Write(append(text, '\n'))
	}
	var line []byte
	if err == nil {
		line, err = b.lines.ReadBytes('\n')
	}
	var answer struct {
		Status int    `json:"status"`
		Output string `json:"output"`
	}
	if err == nil {
		err = json.Unmarshal(line, &answer)
	}
	if err != nil {
		b.t.Fatalf("asking for %v: %v", r.Argv, err)
	}
	return strings.TrimSpace(answer.Output), answer.Status
}

// sh runs a script as a user and expects it to succeed.
func (b *box) sh(uid uint32, script string) string {
	b.t.Helper()
	output, status := b.ask(request{Argv: []string{"/bin/bash", "-c", script}, UID: uid})
	if status != 0 {
		b.t.Fatalf("%s: status %d: %s", script, status, output)
	}
	return output
}

// python runs a program as a user and gives what it prints.
func (b *box) python(uid uint32, script string) string {
	b.t.Helper()
	output, _ := b.ask(request{Argv: []string{"/usr/bin/python3", "-c", script}, UID: uid})
	return output
}
