package seal

import (
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

const rlimitLocks = 10

// sealed is a starter on a thread with no-new-privileges, as in a sandbox.
func sealed(t *testing.T) *Starter { return sealedIn(t, Marks) }

func sealedIn(t *testing.T, scope Scope) *Starter {
	t.Helper()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		t.Fatal(err)
	}
	starter, ok := New(scope, rlimitLocks)
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

func TestRootChangesPrioritiesOfItsOwnThreadAlone(t *testing.T) {
	starter := sealedIn(t, MarksAndPriorities)
	for change, works := range map[string]bool{
		"nice -n 5 true":              true,
		"taskset -c 0 true":           true,
		"ionice -c 3 true":            true,
		"chrt -b 0 true":              true,
		"ulimit -n 100":               true,
		"renice -n 5 -p $PPID":        false,
		"renice -n 5 -g $PPID":        false,
		"renice -n 5 -u nobody":       false,
		"taskset -c -p 0 $PPID":       false,
		"chrt -b -p 0 $PPID":          false,
		"ionice -c 3 -p $PPID":        false,
		"ionice -c 3 -P $PPID":        false,
		"setsid renice -n 5 -p $PPID": false,
	} {
		if output, err := shell(starter, change); (err == nil) != works {
			t.Errorf("%s: answered %q, %v", change, output, err)
		}
	}
	for change := range map[string]bool{"renice -n 1 -p $PPID": true, "taskset -c -p 0,1 $$": true} {
		if output, err := shell(sealed(t), change); err != nil {
			t.Errorf("an ordinary session: %s: answered %q, %v", change, output, err)
		}
	}
}

func BenchmarkStartOnASealedThread(b *testing.B) {
	starter, _ := New(Marks, rlimitLocks)
	for b.Loop() {
		starter.Do(func() {})
	}
}

func TestRootOnAKernelThatLetsItCannotReachTheFirstProcess(t *testing.T) {
	starter := sealedIn(t, MarksPrioritiesAndFirst)
	const call = "python3 -c 'import ctypes, sys; c = ctypes.CDLL(None); sys.exit(c.syscall(%s) == 0)'"
	for name, arguments := range map[string]string{
		"kill": "62, 1, 0", "tgkill": "234, 1, 1, 0", "tkill": "200, 1, 0", "queue": "129, 1, 0, 0", "thread's queue": "297, 1, 1, 0, 0",
		"pidfd": "424, 0, 0, 0, 0", "kill with rubbish": "62, ctypes.c_long(1 | 1 << 40), 0", "a descriptor's signal": "72, 0, 10, 9",
	} {
		if output, err := shell(starter, strings.Replace(call, "%s", arguments, 1)); err != nil {
			t.Errorf("%s: worked: %q", name, output)
		}
	}
	if output, err := shell(starter, "sleep 60 & kill $!; kill -0 $$; wait $!; echo $?"); err != nil || output != "143" {
		t.Errorf("others: answered %q, %v", output, err)
	}
}
