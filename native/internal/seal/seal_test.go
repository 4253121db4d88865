package seal

import (
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// sealed is a starter on a thread with no-new-privileges, as in a sandbox.
func sealed(t *testing.T) *Starter {
	t.Helper()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		t.Fatal(err)
	}
	starter, ok := New()
	if !ok {
		t.Fatal("the thread was not sealed")
	}
	return starter
}

func shell(starter *Starter, script string) (string, error) {
	var output []byte
	var err error
	starter.Do(func() { output, err = exec.Command("bash", "-c", script).CombinedOutput() })
	return strings.TrimSpace(string(output)), err
}

func TestWhatASealedThreadStartsKeepsItsMark(t *testing.T) {
	starter := sealed(t)
	set := func(soft uint64) {
		var limit unix.Rlimit
		if err := unix.Prlimit(0, rlimitLocks, nil, &limit); err != nil {
			t.Fatal(err)
		}
		limit.Cur = soft
		if err := unix.Prlimit(0, rlimitLocks, &limit, nil); err != nil {
			t.Fatal(err)
		}
	}
	// The other threads of this process still set it.
	set(4242)
	defer set(unix.RLIM_INFINITY)
	for _, change := range []string{
		"ulimit -S -x 5",
		"ulimit -x 5",
		"prlimit --locks=5 --pid $$",
		"setsid bash -c 'ulimit -S -x 5'; ulimit -S -x 7",
		// Rubbish in the high half of the register, and both calls, past the library.
		"python3 -c 'import ctypes; c=ctypes.CDLL(None); b=(ctypes.c_ulong*2)(5,5);" +
			" assert c.syscall(160,ctypes.c_ulong(10|1<<40),b)==0; assert c.syscall(302,0,ctypes.c_ulong(10|1<<40),b,None)==0'",
	} {
		output, err := shell(starter, change+"; echo $?; ulimit -S -x; grep 'Max file locks' /proc/self/limits")
		lines := strings.Split(output, "\n")
		if err != nil || len(lines) != 3 || lines[0] != "0" || lines[1] != "4242" || !strings.Contains(lines[2], " 4242 ") {
			t.Errorf("%s: answered %q, %v", change, output, err)
		}
	}
}

func TestOtherLimitsWorkUnderTheSeal(t *testing.T) {
	output, err := shell(sealed(t), "ulimit -n 100; ulimit -n; ulimit -x >/dev/null && echo read")
	if err != nil || output != "100\nread" {
		t.Fatalf("answered %q, %v", output, err)
	}
}

func BenchmarkStartOnASealedThread(b *testing.B) {
	starter, _ := New()
	for b.Loop() {
		starter.Do(func() {})
	}
}
