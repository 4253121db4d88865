package session

import (
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"cortex.dev/native/internal/guestpb"
	"cortex.dev/native/internal/mark"
	"cortex.dev/native/internal/reap"
	"cortex.dev/native/internal/seal"
	"cortex.dev/native/internal/testkit/need"
	"cortex.dev/native/internal/users"
	"cortex.dev/native/internal/wire"
	"golang.org/x/sys/unix"
)

const patience = 30 * time.Second

// The tests share one reaper, as a process has one; none of them uses os/exec.
var spawner *Spawner

// anywhere is no special place.
type anywhere struct{}

func (anywhere) Within(start func() error) error { return start() }

func TestMain(m *testing.M) {
	pokes := make(chan struct{}, 1)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGCHLD)
	go func() {
		for range signals {
			select {
			case pokes <- struct{}{}:
			default:
			}
		}
	}()
	reaper := reap.New(pokes)
	go reaper.Run()
	marker, err := mark.NewMarker(uint64(os.Getpid()))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	spawner = NewSpawner(reaper, marker, anywhere{}, seal.MarksAndPriorities)
	os.Exit(m.Run())
}

// manualClock moves only when it is told to.
type manualClock struct {
	mu     sync.Mutex
	now    time.Time
	timers []*manualTimer
}

type manualTimer struct {
	at time.Time
	f  func()
}

func newManualClock() *manualClock { return &manualClock{now: time.Unix(1_800_000_000, 0)} }

func (c *manualClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *manualClock) AfterFunc(d time.Duration, f func()) func() {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &manualTimer{c.now.Add(d), f}
	c.timers = append(c.timers, t)
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.timers = slices.DeleteFunc(c.timers, func(other *manualTimer) bool { return other == t })
	}
}

func (c *manualClock) advance(d time.Duration) {
	c.mu.Lock()
	c.now = c.now.Add(d)
	var due []*manualTimer
	c.timers = slices.DeleteFunc(c.timers, func(t *manualTimer) bool {
		if t.at.After(c.now) {
			return false
		}
		due = append(due, t)
		return true
	})
	c.mu.Unlock()
	for _, t := range due {
		t.f()
	}
}

type noMemory struct{ killed bool }

func (m noMemory) Killed() bool { return m.killed }

func newTable(t testing.TB, clock Clock, change ...func(*Config)) *Table {
	t.Helper()
	config := Config{
		Users:            users.System,
		DefaultUser:      users.User{Name: "me", UID: uint32(os.Getuid()), GID: uint32(os.Getgid()), Home: "/", Shell: "/bin/sh"},
		WorkingDirectory: "/", RingBytes: 1 << 20, RingsBytes: 64 << 20, RunningMost: 100,
	}
	for _, c := range change {
		c(&config)
	}
	table := NewTable(config, spawner, clock, noMemory{})
	t.Cleanup(func() {
		if err := table.Shutdown(0); err != nil {
			t.Error(err)
		}
	})
	return table
}

func run(t testing.TB, table *Table, id, script string, change ...func(*Request)) *Session {
	t.Helper()
	r := Request{ID: id, Argv: [][]byte{[]byte("/bin/sh"), []byte("-c"), []byte(script)}}
	for _, c := range change {
		c(&r)
	}
	s, _, err := table.Exec(r)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func wait(t testing.TB, s *Session) Exit {
	t.Helper()
	select {
	case <-s.Done():
	case <-time.After(patience):
		t.Fatalf("session %s has not ended", s.ID)
	}
	return s.Exit()
}

func until(t testing.TB, condition func() bool, otherwise string) {
	t.Helper()
	for end := time.Now().Add(patience); !condition(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal(otherwise)
		}
	}
}

func TestAnExitStatusIsStillThereAnHourLater(t *testing.T) {
	clock := newManualClock()
	table := newTable(t, clock)
	s := run(t, table, "s_1", "echo kept; exit 7", func(r *Request) { r.TimeoutMillis = 60_000; r.Claim = true })
	wait(t, s)
	clock.advance(time.Hour)
	found, err := table.Find("s_1")
	if err != nil {
		t.Fatal(err)
	}
	info := table.Info(found)
	if info.Cause != guestpb.ExitCause_EXIT_CAUSE_EXITED || info.Code != 7 || info.Newest != 5 || info.Oldest != 0 {
		t.Fatalf("got %+v", info)
	}
	if info.EndedMs-info.StartedMs != 0 || clock.Now().UnixMilli()-info.EndedMs != time.Hour.Milliseconds() {
		t.Fatalf("ended at %d", info.EndedMs)
	}
}

func TestATimeoutEndsTheSessionOnTheWallClock(t *testing.T) {
	clock := newManualClock()
	table := newTable(t, clock)
	s := run(t, table, "s_1", "trap '' TERM; while :; do sleep 1; done", func(r *Request) { r.TimeoutMillis = 3_600_000 })
	clock.advance(time.Hour - time.Millisecond)
	select {
	case <-s.Done():
		t.Fatal("it ended too early")
	case <-time.After(50 * time.Millisecond):
	}
	clock.advance(time.Millisecond)
	if exit := wait(t, s); exit != (Exit{guestpb.ExitCause_EXIT_CAUSE_TIMEOUT, 9}) {
		t.Fatalf("got %+v", exit)
	}
	if info := table.Info(s); info.EndedMs-info.StartedMs != time.Hour.Milliseconds() {
		t.Fatalf("got %+v", info)
	}
}

func TestATimeoutAfterTheEndChangesNothing(t *testing.T) {
	clock := newManualClock()
	table := newTable(t, clock)
	s := run(t, table, "s_1", "exit 0", func(r *Request) { r.TimeoutMillis = 10 })
	wait(t, s)
	clock.advance(time.Hour)
	if s.Exit() != (Exit{guestpb.ExitCause_EXIT_CAUSE_EXITED, 0}) {
		t.Fatalf("got %+v", s.Exit())
	}
}

func TestAClaimEndsThirtySecondsAfterItsHolderLeft(t *testing.T) {
	clock := newManualClock()
	table := newTable(t, clock, func(c *Config) { c.RingBytes = 64 << 10 })
	s := run(t, table, "s_1", "seq 200000", func(r *Request) { r.Claim = true })
	clock.advance(29 * time.Second)
	a, err := s.Attach(wire.ModeHold, 0, func() {})
	if err != nil {
		t.Fatal(err)
	}
	clock.advance(time.Hour) // a holder that lives is waited for without limit
	a.Close()
	clock.advance(29 * time.Second)
	select {
	case <-s.Done():
		t.Fatal("the process was not waiting")
	case <-time.After(100 * time.Millisecond):
	}
	if oldest, _, _ := s.ring.Bounds(); oldest != 0 {
		t.Fatalf("bytes before %d were lost under the claim", oldest)
	}
	clock.advance(time.Second)
	wait(t, s)
	if oldest, _, _ := s.ring.Bounds(); oldest == 0 {
		t.Fatal("the ring kept everything after the claim")
	}
}

func TestTheLastThousandStatusesStay(t *testing.T) {
	table := newTable(t, SystemClock{})
	const all = statusesKept + 20
	for i := range all {
		wait(t, run(t, table, fmt.Sprint("s_", i), fmt.Sprintf("exit %d", i%100)))
	}
	until(t, func() bool { running, _ := table.Running(); return running == 0 }, "sessions run on")
	list := table.List()
	if len(list) != statusesKept || list[0].Id != "s_20" || list[len(list)-1].Id != fmt.Sprint("s_", all-1) {
		t.Fatalf("%d are left, from %s", len(list), list[0].Id)
	}
	for _, info := range list {
		var i int
		if _, err := fmt.Sscanf(info.Id, "s_%d", &i); err != nil || int(info.Code) != i%100 {
			t.Fatalf("got %+v", info)
		}
	}
	if _, err := table.Find("s_19"); err == nil {
		t.Fatal("an older one is still known")
	}
}

func TestNoMoreSessionsRunThanAreAllowed(t *testing.T) {
	table := newTable(t, SystemClock{}, func(c *Config) { c.RunningMost = 2 })
	first := run(t, table, "s_1", "read x", func(r *Request) { r.Stdin = true })
	run(t, table, "s_2", "sleep 300")
	_, _, err := table.Exec(Request{ID: "s_3", Argv: [][]byte{[]byte("true")}})
	if err == nil || !strings.HasPrefix(err.Error(), "CAPACITY") {
		t.Fatalf("got %v", err)
	}
	a, err := first.Attach(wire.ModeHold, 0, func() {})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if err := a.CloseInput(); err != nil {
		t.Fatal(err)
	}
	wait(t, first)
	until(t, func() bool { running, _ := table.Running(); return running == 1 }, "the place is not free")
	wait(t, run(t, table, "s_3", "true"))
}

func TestADeathThatTheMemoryLimitCausedSaysSo(t *testing.T) {
	table := newTable(t, SystemClock{})
	table.memory = noMemory{killed: true}
	if exit := wait(t, run(t, table, "s_1", "kill -9 $$")); exit != (Exit{guestpb.ExitCause_EXIT_CAUSE_OUT_OF_MEMORY, 9}) {
		t.Fatalf("got %+v", exit)
	}
	if exit := wait(t, run(t, table, "s_2", "kill -15 $$")); exit != (Exit{guestpb.ExitCause_EXIT_CAUSE_SIGNALED, 15}) {
		t.Fatalf("got %+v", exit)
	}
}

func TestARefusedSessionLeavesNoDescriptors(t *testing.T) {
	table := newTable(t, SystemClock{})
	wait(t, run(t, table, "s_0", "true"))
	before := descriptors(t)
	for i := range 50 {
		wait(t, run(t, table, fmt.Sprint("s_n", i), "", func(r *Request) { r.Argv = [][]byte{[]byte("no-such")}; r.Stdin = i%2 == 0 }))
		wait(t, run(t, table, fmt.Sprint("s_t", i), "", func(r *Request) { r.Argv = [][]byte{[]byte("no-such")}; r.Terminal = &Terminal{} }))
		wait(t, run(t, table, fmt.Sprint("s_r", i), "exit 0", func(r *Request) { r.Stdin = true }))
		wait(t, run(t, table, fmt.Sprint("s_u", i), "exit 0", func(r *Request) { r.Terminal = &Terminal{} }))
	}
	until(t, func() bool { return descriptors(t) <= before }, "descriptors are left open")
}

func descriptors(t testing.TB) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// BenchmarkForkExecToExit is what one command costs inside: start, end, status.
func BenchmarkForkExecToExit(b *testing.B) {
	table := newTable(b, SystemClock{})
	i := 0
	for b.Loop() {
		i++
		s, _, err := table.Exec(Request{ID: fmt.Sprint("s_", i), Argv: [][]byte{[]byte("/bin/true")}})
		if err != nil {
			b.Fatal(err)
		}
		<-s.Done()
	}
}

func TestAProcessLimitThatIsReachedIsCapacityAndNotTheCommandsStatus(t *testing.T) {
	need.Root(t, "the limit is another user's")
	const uid = 64_321
	table := newTable(t, SystemClock{}, func(c *Config) {
		c.SwitchUsers = true
		c.DefaultUser = users.User{Name: "limited", UID: uid, GID: uid, Home: "/", Shell: "/bin/sh"}
	})
	first := run(t, table, "s_1", "sleep 300 & sleep 300 & wait")
	until(t, func() bool { return table.descendants()[first.number] == 3 }, "the children have not started")
	var before syscall.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NPROC, (*unix.Rlimit)(&before)); err != nil {
		t.Fatal(err)
	}
	lower := unix.Rlimit{Cur: 1, Max: before.Max}
	if err := unix.Setrlimit(unix.RLIMIT_NPROC, &lower); err != nil {
		t.Fatal(err)
	}
	_, _, err := table.Exec(Request{ID: "s_2", Argv: [][]byte{[]byte("true")}})
	if restored := unix.Setrlimit(unix.RLIMIT_NPROC, (*unix.Rlimit)(&before)); restored != nil {
		t.Fatal(restored)
	}
	if err == nil || !strings.HasPrefix(err.Error(), "CAPACITY") {
		t.Fatalf("got %v", err)
	}
	wait(t, run(t, table, "s_2", "exit 0"))
}
