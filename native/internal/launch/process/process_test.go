package process

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestAProcessCannotHideBehindItsName(t *testing.T) {
	stat, err := parseStat("7 (a) Z 1 (b)) S 1 7 7 0 -1 4194304 0 0 0 0 0 0 0 0 20 0 1 0 4242 0 0")
	if err != nil || stat.State != 'S' || stat.StartTime != 4242 {
		t.Fatalf("read %+v, %v", stat, err)
	}
	for _, text := range []string{"", "7 (a", "7 (a) S 1", "7 (a) S 1 7 7 0 -1 4194304 0 0 0 0 0 0 0 0 20 0 1 0 x 0"} {
		if _, err := parseStat(text); err == nil {
			t.Errorf("%q was read", text)
		}
	}
}

func TestAHandleIsRefusedWhenTheStartTimeDiffers(t *testing.T) {
	stat, err := ReadStat(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Hold(os.Getpid(), stat.StartTime+1); !errors.Is(err, ErrGone) {
		t.Fatalf("held, %v", err)
	}
	handle, err := Hold(os.Getpid(), stat.StartTime)
	if err != nil {
		t.Fatal(err)
	}
	handle.Close()
}

func TestTheMarkIsReadFromTheTextAsFromTheCall(t *testing.T) {
	text := "Limit                     Soft Limit           Hard Limit           Units     \n" +
		"Max address space         unlimited            unlimited            bytes     \n" +
		"Max file locks            3141592653589045248  unlimited            locks     \n" +
		"Max pending signals       96325                96325                signals   \n"
	if mark, ok := parseLimits([]byte(text)); !ok || mark != 3141592653589045248 {
		t.Fatalf("read %d, %v", mark, ok)
	}
	if _, ok := parseLimits([]byte("Limit\nMax file locks            unlimited            unlimited            locks\n")); ok {
		t.Fatal("unlimited is no mark")
	}
	if _, ok := parseLimits(nil); ok {
		t.Fatal("nothing is no mark")
	}
}

// marked starts a shell whose soft limit RLIMIT_LOCKS is mark.
func marked(t *testing.T, mark uint64, script string) *exec.Cmd {
	t.Helper()
	command := exec.Command("bash", "-c", script)
	command.SysProcAttr = &unix.SysProcAttr{Setsid: true}
	var before unix.Rlimit
	if err := unix.Prlimit(0, RlimitLocks, nil, &before); err != nil {
		t.Fatal(err)
	}
	if err := unix.Prlimit(0, RlimitLocks, &unix.Rlimit{Cur: mark, Max: before.Max}, nil); err != nil {
		t.Fatal(err)
	}
	err := command.Start()
	if reset := unix.Prlimit(0, RlimitLocks, &before, nil); reset != nil || err != nil {
		t.Fatal(reset, err)
	}
	go func() { _ = command.Wait() }()
	return command
}

func TestEveryDescendantIsFoundByTheMarkAndEnds(t *testing.T) {
	mark := uint64(os.Getpid())<<30 | 1<<24
	// Sessions and parents of their own, and one that ignores what can be ignored.
	marked(t, mark, `setsid sh -c 'sleep 300 & sleep 300' & (trap "" TERM HUP INT; sleep 300) & (setsid sleep 300 &) ; wait`)
	until(t, func() bool { pids, _ := Marked(mark); return len(pids) >= 6 })
	members := func() ([]int, error) { return Marked(mark | 77) }
	killed, err := End(members, time.Now().Add(10*time.Second))
	if err != nil || killed < 6 {
		t.Fatalf("killed %d, %v", killed, err)
	}
	if pids, _ := Marked(mark); len(pids) != 0 {
		t.Fatalf("%v are left", pids)
	}
}

func TestProcessesThatFlyFromTheKillerEnd(t *testing.T) {
	mark := uint64(os.Getpid())<<30 | 2<<24
	// Twenty lines of descent, each with a new process every few milliseconds:
	// the race of a fork bomb, without its growth.
	marked(t, mark, `f() { sleep 0.003; f & }; for i in $(seq 20); do f & done; wait`)
	until(t, func() bool { pids, _ := Marked(mark); return len(pids) >= 20 })
	members := func() ([]int, error) { return Marked(mark) }
	if _, err := End(members, time.Now().Add(20*time.Second)); err != nil {
		t.Fatal(err)
	}
	time.Sleep(100 * time.Millisecond)
	if pids, _ := Marked(mark); len(pids) != 0 {
		t.Fatalf("%v are left", pids)
	}
}

func TestAProcessWhoseFirstThreadHasEndedIsFoundAndEnds(t *testing.T) {
	mark := uint64(os.Getpid())<<30 | 5<<24
	marked(t, mark, fmt.Sprintf(`exec python3 -c '
import ctypes, threading, time
threading.Thread(target=time.sleep, args=(300,)).start()
ctypes.CDLL(None).syscall(%d, 0)'`, unix.SYS_EXIT))
	until(t, func() bool {
		pids, _ := Marked(mark)
		if len(pids) != 1 {
			return false
		}
		stat, err := ReadStat(pids[0])
		return err == nil && stat.Dead()
	})
	if _, err := End(func() ([]int, error) { return Marked(mark) }, time.Now().Add(10*time.Second)); err != nil {
		t.Fatal(err)
	}
	if pids, _ := Marked(mark); len(pids) != 0 {
		t.Fatalf("%v are left", pids)
	}
}

func TestAnotherSandboxIsLeftAlone(t *testing.T) {
	mine, other := uint64(os.Getpid())<<30|3<<24, uint64(os.Getpid())<<30|4<<24
	bystander := marked(t, other, "sleep 300")
	defer func() { _ = bystander.Process.Kill() }()
	marked(t, mine, "sleep 300")
	until(t, func() bool { pids, _ := Marked(mine); return len(pids) == 1 })
	if _, err := End(func() ([]int, error) { return Marked(mine) }, time.Now().Add(10*time.Second)); err != nil {
		t.Fatal(err)
	}
	if pids, _ := Marked(other); len(pids) != 1 {
		t.Fatalf("of the other %v are left", pids)
	}
}

func until(t *testing.T, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it did not come about within 20 s")
		}
	}
}
