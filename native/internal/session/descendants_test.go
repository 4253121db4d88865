package session

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cortex.dev/native/internal/guestpb"
	"cortex.dev/native/internal/testkit/need"
	"cortex.dev/native/internal/users"
)

// bombs are Perl programs that make processes as fast as they can, whatever refuses them. Each goes
// on only as long as the file $GO is there.
var bombs = map[string]string{
	"grows":                       `sub on { -e $ENV{GO} } while (on) { fork }`,
	"leaves group and session":    `sub on { -e $ENV{GO} } while (on) { my $p = fork; POSIX::setsid() if defined $p && !$p }`,
	"lives in ever new processes": `sub on { -e $ENV{GO} } for (1..50) { next if fork; while (on) { my $p = fork; exit if $p; POSIX::setsid() if defined $p } exit }`,
}

const (
	bombProcesses = "200"
	bombLasts     = 10 * time.Second
)

// bomb starts a bomb that cannot hurt the machine: under a hard limit of processes of a user of its
// own, which it checks before it begins; it ends by itself; and what is left is killed.
func bomb(t *testing.T, table *Table, id, script string) *Session {
	t.Helper()
	folder, err := os.MkdirTemp("", "bomb")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	fuse := filepath.Join(folder, "go")
	if err := os.WriteFile(fuse, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(bombLasts, func() { _ = os.Remove(fuse) })
	t.Cleanup(func() {
		timer.Stop()
		_ = os.RemoveAll(folder)
		wait(t, run(t, table, id+"_sweep", "kill -9 -1; exit 0"))
	})
	guarded := `grep -q "^Max processes *` + bombProcesses + ` *` + bombProcesses + ` " /proc/self/limits || exit 99; [ $(id -u) != 0 ] || exit 99; echo armed; perl -MPOSIX -e '$SIG{$_}="IGNORE" for qw(TERM HUP INT CHLD); ` + script + `' & exec tail -f /dev/null`
	return run(t, table, id, "", func(r *Request) {
		r.Argv = [][]byte{[]byte("prlimit"), []byte("--nproc=" + bombProcesses + ":" + bombProcesses), []byte("sh"), []byte("-c"), []byte(guarded)}
		r.Environment = [][]byte{[]byte("GO=" + fuse)}
	})
}

func TestEveryDescendantOfAForkBombIsKilled(t *testing.T) {
	need.Root(t, "a bomb runs as a user of its own, under a limit of its own")
	uid := 61_000 + rand.Uint32N(3_000) // zombies of an earlier run count against the limit
	for name, script := range bombs {
		uid++
		t.Run(name, func(t *testing.T) {
			table := newTable(t, SystemClock{}, func(c *Config) {
				c.SwitchUsers = true
				c.DefaultUser = users.User{Name: "bomber", UID: uid, GID: uid, Home: "/", Shell: "/bin/sh"}
			})
			other := run(t, table, "s_other", "exec sleep 300")
			s := bomb(t, table, "s_bomb", script)
			until(t, func() bool { _, newest, _ := s.ring.Bounds(); return newest > 0 }, "the bomb is not armed")
			var before map[uint32]int
			until(t, func() bool {
				var err error
				before, err = spawner.marker.Counts()
				return err != nil || before[s.number] > 20
			}, "the bomb does not grow")
			begun := time.Now()
			left, err := s.kill(guestpb.ExitCause_EXIT_CAUSE_TIMEOUT)
			took := time.Since(begun)
			if left != 0 || err != nil {
				t.Fatalf("%d are left, %v", left, err)
			}
			if alive := processesOf(t, uid); len(alive) != 1 {
				t.Errorf("besides the other session these live: %v", alive)
			}
			if exit := wait(t, s); exit.Cause != guestpb.ExitCause_EXIT_CAUSE_TIMEOUT {
				t.Errorf("got %+v", exit)
			}
			select {
			case <-other.Done():
				t.Error("another session was killed too")
			default:
			}
			t.Logf("%d processes, %s", before[s.number], took)
		})
	}
}

// processesOf are the processes of a user that are not zombies.
func processesOf(t testing.TB, uid uint32) (pids []string) {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/status")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		var state string
		var owner uint32
		for line := range strings.SplitSeq(string(text), "\n") {
			_, _ = fmt.Sscanf(line, "State: %s", &state)
			_, _ = fmt.Sscanf(line, "Uid: %d", &owner)
		}
		if owner == uid && state != "Z" {
			pids = append(pids, filepath.Base(filepath.Dir(path)))
		}
	}
	return pids
}
