package mark

import (
	"os"
	"strings"
	"syscall"
	"testing"
)

func marker(t testing.TB) *Marker {
	t.Helper()
	m, err := NewMarker(uint64(os.Getpid()))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// spawn starts a shell under a session's mark and returns its pid.
func spawn(t testing.TB, m *Marker, number uint32, script string) int {
	t.Helper()
	pid := 0
	if err := m.Do(number, func() (err error) {
		pid, err = syscall.ForkExec("/bin/sh", []string{"sh", "-c", script}, &syscall.ProcAttr{
			Env: os.Environ(), Files: []uintptr{0, 1, 2}, Sys: &syscall.SysProcAttr{Setsid: true},
		})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(pid, syscall.SIGKILL)
		_, _ = syscall.Wait4(pid, nil, 0, nil)
	})
	return pid
}

func TestTheMarkOfAnotherUsersProcessIsReadFromItsFile(t *testing.T) {
	text := `Limit                     Soft Limit           Hard Limit           Units     
Max cpu time              unlimited            unlimited            seconds   
Max file locks            83886081             unlimited            locks     
Max pending signals       95914                95914                signals   
`
	if mark, ok := carriers[0].parse([]byte(text)); !ok || mark != 83_886_081 {
		t.Fatalf("got %d, %v", mark, ok)
	}
	for _, bad := range []string{"", "Max file locks", "Max file locks   unlimited  unlimited", strings.Replace(text, "83886081", "-1", 1)} {
		if mark, ok := carriers[0].parse([]byte(bad)); ok {
			t.Errorf("%q was read as %d", bad, mark)
		}
	}
	m := marker(t)
	pid := spawn(t, m, 5, "exec sleep 300")
	s, err := newScanner(carriers[0])
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	asked, _ := s.markOf(pid)
	read, ok := s.markInFile(pid)
	if !ok || asked != m.Of(5) || read != asked {
		t.Fatalf("asked %d, read %d", asked, read)
	}
}

func TestOnlyTheProcessesOfTheSessionAreKilled(t *testing.T) {
	m := marker(t)
	spawn(t, m, 1, "sleep 300 & sleep 300 & wait")
	spawn(t, m, 2, "exec sleep 300")
	waitFor(t, m, 1, 3)
	waitFor(t, m, 2, 1)
	if left, err := m.Kill(1); left != 0 || err != nil {
		t.Fatalf("%d are left, %v", left, err)
	}
	waitFor(t, m, 1, 0)
	waitFor(t, m, 2, 1)
}

func TestThisProcessHasNoSessionsMark(t *testing.T) {
	m := marker(t)
	if err := m.Do(7, func() error { return nil }); err != nil {
		t.Fatal(err)
	}
	if counts, err := m.Counts(); err != nil || len(counts) != 0 {
		t.Fatalf("got %v, %v", counts, err)
	}
}

func TestASandboxsNumberMustFit(t *testing.T) {
	if _, err := NewMarker(1 << (63 - sessionBits)); err == nil {
		t.Fatal("too large a number was taken")
	}
}

func waitFor(t testing.TB, m *Marker, number uint32, want int) {
	t.Helper()
	for range 10_000 {
		counts, err := m.Counts()
		if err != nil {
			t.Fatal(err)
		}
		if counts[number] == want {
			return
		}
	}
	t.Fatalf("session %d never had %d processes", number, want)
}

func BenchmarkScan(b *testing.B) {
	m := marker(b)
	for b.Loop() {
		if _, err := m.Counts(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkScanOfOtherUsers(b *testing.B) {
	s, err := newScanner(carriers[0])
	if err != nil {
		b.Fatal(err)
	}
	defer s.close()
	processes := 0
	for b.Loop() {
		processes = 0
		if err := s.each(func(pid int, _ uint64) {
			processes++
			s.markInFile(pid)
		}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(processes), "processes")
}

func BenchmarkKillOfAQuietSession(b *testing.B) {
	m := marker(b)
	for b.Loop() {
		b.StopTimer()
		pid := spawn(b, m, 9, "sleep 300 & sleep 300 & exec sleep 300")
		waitFor(b, m, 9, 3)
		b.StartTimer()
		if left, err := m.Kill(9); left != 0 || err != nil {
			b.Fatalf("%d are left, %v", left, err)
		}
		b.StopTimer()
		_, _ = syscall.Wait4(pid, nil, 0, nil)
		b.StartTimer()
	}
}
