package turns

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
)

func sliceOf(t *testing.T, thread int) uint64 {
	t.Helper()
	attributes, err := unix.SchedGetAttr(thread, 0)
	if err != nil {
		t.Fatalf("reading the slice of %d: %v", thread, err)
	}
	return attributes.Runtime
}

// kept says whether this kernel keeps a slice that a thread asks for: since Linux 6.12.
func kept(t *testing.T) bool {
	t.Helper()
	var kernel unix.Utsname
	if err := unix.Uname(&kernel); err != nil {
		t.Fatal(err)
	}
	var major, minor int
	if _, err := fmt.Sscanf(unix.ByteSliceToString(kernel.Release[:]), "%d.%d", &major, &minor); err != nil {
		t.Fatal(err)
	}
	return major > 6 || major == 6 && minor >= 12
}

// The one test: slices are the whole process's.
func TestEveryThreadAndWhatItStartsGetsShortSlicesButNoChildOfOneThatIsToldSo(t *testing.T) {
	usual := sliceOf(t, 0)
	want := usual
	if kept(t) {
		want = shortest
	}
	Short()
	for _, id := range threads(t) {
		if got := sliceOf(t, id); got != want {
			t.Errorf("thread %d has %d, not %d", id, got, want)
		}
	}
	child := func(prepare func()) uint64 {
		runtime.LockOSThread() // ends with its goroutine, so that no other gets what is prepared
		prepare()
		sleep := exec.Command("sleep", "60")
		if err := sleep.Start(); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = sleep.Process.Kill(); _ = sleep.Wait() }()
		return sliceOf(t, sleep.Process.Pid)
	}
	on := func(prepare func()) uint64 {
		got := make(chan uint64)
		go func() { got <- child(prepare) }()
		return <-got
	}
	if got := on(func() {}); got != want {
		t.Errorf("a child has %d, not %d", got, want)
	}
	if got := on(UsualForChildren); got != usual {
		t.Errorf("a child of a thread that was told so has %d, not %d", got, usual)
	}
	Usual()
	for _, id := range threads(t) {
		if got := sliceOf(t, id); got != usual {
			t.Errorf("thread %d has %d again, not %d", id, got, usual)
		}
	}
}

func threads(t *testing.T) []int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	var ids []int
	for _, entry := range entries {
		id, err := strconv.Atoi(entry.Name())
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	return ids
}
