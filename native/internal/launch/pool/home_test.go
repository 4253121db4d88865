package pool

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"cortex.dev/native/internal/launch"
	"golang.org/x/sys/unix"
)

const (
	crashAt   = "CORTEX_TEST_CRASH_AT"
	crashHome = "CORTEX_TEST_CRASH_HOME"
)

// TestMain is also the program that is killed half-way.
func TestMain(m *testing.M) {
	if step := os.Getenv(crashAt); step != "" {
		pool := Of(small(os.Getenv(crashHome)))
		pool.Crossed = func(crossed string) {
			if crossed == step {
				_ = unix.Kill(os.Getpid(), unix.SIGKILL)
			}
		}
		_, err := pool.Carry()
		fmt.Println(err)
		os.Exit(3)
	}
	os.Exit(m.Run())
}

// small is a pool that costs nothing.
func small(home string) launch.PoolSpec {
	return launch.PoolSpec{
		Version: launch.Version, Home: home, Choice: launch.PoolBtrfs, Make: true, Grow: os.Getenv(crashAt) != "" && strings.HasPrefix(os.Getenv(crashAt), "grow"),
		InitialBytes: 256 << 20, StepBytes: 64 << 20, MarginBytes: 16 << 20,
	}
}

// hostDisk is a file system of the test's own.
func hostDisk(t *testing.T, mebibytes int) string {
	t.Helper()
	needsRoot(t)
	dir := t.TempDir()
	mounted := filepath.Join(dir, "host")
	script := fmt.Sprintf("truncate -s %dM image && mkfs.ext4 -q -F -m 0 image && mkdir host && mount -o loop image host", mebibytes)
	run(t, dir, script)
	// Who starts a sandbox just now has a copy of every mount for a moment.
	t.Cleanup(func() {
		run(t, dir, "for i in $(seq 100); do umount host 2>/dev/null && exit 0; sleep 0.1; done; umount host")
	})
	return mounted
}

func run(t *testing.T, dir, script string) string {
	t.Helper()
	command := exec.Command("sh", "-ec", script)
	command.Dir = dir
	output, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v: %s", script, err, output)
	}
	return string(output)
}

// opened is the pool of a home, which is unmounted at the end.
func opened(t *testing.T, spec launch.PoolSpec) launch.PoolState {
	t.Helper()
	needsRoot(t)
	t.Cleanup(func() { closed(t, spec) })
	return carried(t, spec)
}

func carried(t *testing.T, spec launch.PoolSpec) launch.PoolState {
	t.Helper()
	state, err := Of(spec).Carry()
	if err != nil {
		t.Fatal(err)
	}
	return state
}

func closed(t *testing.T, spec launch.PoolSpec) {
	t.Helper()
	spec.Make, spec.Mount, spec.Grow, spec.Unmount = false, false, false, true
	if _, err := Of(spec).Carry(); err != nil {
		t.Error(err)
	}
}

// devices are the loop devices whose image lies in a folder.
func devices(t *testing.T, folder string) []string {
	t.Helper()
	files, err := filepath.Glob("/sys/block/loop*/loop/backing_file")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, file := range files {
		if text, err := os.ReadFile(file); err == nil && strings.HasPrefix(string(text), folder+"/") {
			found = append(found, file)
		}
	}
	return found
}

// killedAt runs the small pool in another process, which is killed at a step.
func killedAt(t *testing.T, home, step string) {
	t.Helper()
	command := exec.Command(os.Args[0], "-test.run=^$")
	command.Env = append(os.Environ(), crashAt+"="+step, crashHome+"="+home)
	output, err := command.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || !exit.Sys().(syscall.WaitStatus).Signaled() {
		t.Fatalf("it was not killed at %s: %v: %s", step, err, output)
	}
}

func makeDisk(t *testing.T, state launch.PoolState, name string, limit int64) string {
	t.Helper()
	disk := launch.Disk{Path: filepath.Join(state.Folder, name), Subvolume: state.Kind != launch.FolderPool, LimitBytes: limit}
	if err := MakeDisk(disk); err != nil {
		t.Fatal(err)
	}
	return disk.Path
}

func needsRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Fatal("this test needs root")
	}
}
