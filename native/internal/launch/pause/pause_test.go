package pause

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"cortex.dev/native/internal/launch"
	"cortex.dev/native/internal/launch/cgroup"
	"cortex.dev/native/internal/launch/process"
	"golang.org/x/sys/unix"
)

// world is a sandbox of shells: one that prints numbered lines, and what else a
// test wants.
type world struct {
	spec  launch.PauseSpec
	lines *bufio.Scanner
}

// start runs a script whose soft limit RLIMIT_LOCKS is a mark; attributes may
// put it in a group.
func start(t *testing.T, script string, attributes *unix.SysProcAttr) *world {
	t.Helper()
	mark := (uint64(os.Getpid())<<16 | uint64(time.Now().UnixNano()&0xffff)) << launch.SessionBits
	command := exec.Command("bash", "-c", script)
	attributes.Setsid = true
	command.SysProcAttr = attributes
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var before unix.Rlimit
	if err := unix.Prlimit(0, process.RlimitLocks, nil, &before); err != nil {
		t.Fatal(err)
	}
	if err := unix.Prlimit(0, process.RlimitLocks, &unix.Rlimit{Cur: mark, Max: before.Max}, nil); err != nil {
		t.Fatal(err)
	}
	err = command.Start()
	if reset := unix.Prlimit(0, process.RlimitLocks, &before, nil); reset != nil || err != nil {
		t.Fatal(reset, err)
	}
	t.Cleanup(func() {
		members := func() ([]int, error) { return process.Marked(mark) }
		if _, err := process.End(members, time.Now().Add(20*time.Second)); err != nil {
			t.Error(err)
		}
		_, _ = io.Copy(io.Discard, output)
		_ = command.Wait()
	})
	boot, err := process.BootID()
	if err != nil {
		t.Fatal(err)
	}
	stat, err := process.ReadStat(command.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	return &world{
		spec: launch.PauseSpec{
			Version: launch.Version, ID: "a", Pid: command.Process.Pid, StartTime: stat.StartTime, BootID: boot,
			Mark: mark, StoppedFile: filepath.Join(t.TempDir(), "run", "stopped"),
		},
		lines: bufio.NewScanner(output),
	}
}

func (w *world) next(t *testing.T) string {
	t.Helper()
	if !w.lines.Scan() {
		t.Fatalf("no line any more: %v", w.lines.Err())
	}
	return w.lines.Text()
}

func (w *world) change(t *testing.T, change func(launch.PauseSpec) (launch.Changed, error)) launch.Changed {
	t.Helper()
	answer, err := change(w.spec)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// running lists who of the sandbox does not stand still.
func (w *world) running(t *testing.T) []int {
	t.Helper()
	found, err := process.Marked(w.spec.Mark)
	if err != nil {
		t.Fatal(err)
	}
	var running []int
	for _, pid := range found {
		if !process.StandsStill(pid) {
			running = append(running, pid)
		}
	}
	return running
}

const counting = `i=0; while [ $SECONDS -lt 60 ]; do i=$((i+1)); echo $i; sleep 0.01; done`

func TestASandboxWithoutAGroupStandsStillAndGoesOnWhereItWas(t *testing.T) {
	world := start(t, `setsid sleep 300 & (sleep 300 &) ; `+counting, &unix.SysProcAttr{})
	world.next(t)
	world.change(t, Pause)
	if running := world.running(t); len(running) > 0 {
		t.Fatalf("%v run", running)
	}
	// A second pause, as after a crash between the two, finds nothing to do.
	world.change(t, Pause)
	world.change(t, Resume)
	for line := 2; line < 20; line++ {
		if text := world.next(t); text != fmt.Sprint(line) {
			t.Fatalf("line %d is %q", line, text)
		}
	}
	world.change(t, Resume)
}

func TestWhoStoodBeforeAPauseStandsAfterIt(t *testing.T) {
	world := start(t, `sleep 300 & kill -STOP $!; echo $!; `+counting, &unix.SysProcAttr{})
	var sleeper int
	if _, err := fmt.Sscan(world.next(t), &sleeper); err != nil {
		t.Fatal(err)
	}
	world.next(t)
	for end := time.Now().Add(10 * time.Second); !process.StandsStill(sleeper); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it does not stop")
		}
	}
	world.change(t, Pause)
	// Cut off and made again: who was stopped by the first did not stand before.
	world.change(t, Pause)
	world.change(t, Resume)
	world.next(t)
	if !process.StandsStill(sleeper) {
		t.Error("it was continued")
	}
	if process.StandsStill(world.spec.Pid) {
		t.Error("the shell was not continued")
	}
}

func TestAShellDoesNotSeeThatItsChildWasStopped(t *testing.T) {
	world := start(t, `set -m; echo begun; sleep 1; echo "status $?"`, &unix.SysProcAttr{})
	world.next(t)
	time.Sleep(50 * time.Millisecond)
	world.change(t, Pause)
	world.change(t, Resume)
	if text := world.next(t); text != "status 0" {
		t.Errorf("it says %q", text)
	}
}

func TestProcessesThatFlyFromThePauseStandStill(t *testing.T) {
	// Twenty lines of descent without growth; they end by themselves.
	world := start(t, `f() { [ $SECONDS -gt 60 ] && exit; sleep 0.003; f & }; echo begun; for i in $(seq 20); do f & done; exec sleep 60`,
		&unix.SysProcAttr{})
	world.next(t)
	world.change(t, Pause)
	for range 10 {
		if running := world.running(t); len(running) > 0 {
			t.Fatalf("%v run", running)
		}
		time.Sleep(10 * time.Millisecond)
	}
	world.change(t, Resume)
}

func TestASandboxThatIsGoneIsRefused(t *testing.T) {
	world := start(t, counting, &unix.SysProcAttr{})
	spec := world.spec
	spec.StartTime++
	for _, change := range []func(launch.PauseSpec) (launch.Changed, error){Pause, Resume} {
		if _, err := change(spec); launch.AsFailure(err).Code != launch.NotFound {
			t.Errorf("answered %v", err)
		}
	}
	world.next(t)
}

func TestTheFreezerHoldsEverythingOfAGroup(t *testing.T) {
	layout, err := cgroup.Find()
	if err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() != 0 {
		t.Fatal("this test needs root")
	}
	name := fmt.Sprintf("cortex-still-test/%d", os.Getpid())
	group := layout.Of(name)
	t.Cleanup(func() {
		if left := group.Remove(time.Now().Add(5 * time.Second)); len(left) > 0 {
			t.Errorf("left are %v", left)
		}
	})
	if err := group.Make(launch.Cgroup{Pids: 60}); err != nil {
		t.Fatal(err)
	}
	// A thread enters, and must be the one that starts the child and leaves.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	attributes := &unix.SysProcAttr{}
	leave, err := group.Attach(attributes)
	if err != nil {
		t.Fatal(err)
	}
	// Lines of descent that fork while they are frozen; they end by themselves.
	world := start(t, `f() { [ $SECONDS -gt 60 ] && exit; sleep 0.003; f & }; for i in $(seq 10); do f & done; `+counting, attributes)
	if err := leave(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = group.Thaw() })
	world.spec.CgroupName, world.spec.Mark, world.spec.StoppedFile = name, 0, ""
	world.next(t)
	world.change(t, Pause)
	world.change(t, Pause)
	if frozen, err := group.Frozen(); !frozen || err != nil {
		t.Fatalf("frozen %v, %v", frozen, err)
	}
	world.change(t, Resume)
	world.change(t, Resume)
	world.next(t)
	if frozen, err := group.Frozen(); frozen || err != nil {
		t.Fatalf("frozen %v, %v", frozen, err)
	}
}
