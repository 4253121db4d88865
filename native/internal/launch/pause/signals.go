package pause

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cortex.dev/native/internal/launch"
	"cortex.dev/native/internal/launch/process"
	"golang.org/x/sys/unix"
)

// settle is how long a process that got its signal is waited for before its
// children get theirs. One that waits in the kernel for longer is waited for
// afterwards, with all others.
const settle = 20 * time.Millisecond

// calmScans in a row must find nobody who runs. A process that forks and ends
// faster than /proc is read can hide from one scan; it must be lucky each time.
const calmScans = 3

// signals stop what bears the mark, in scans, until they find nobody who runs.
type signals struct{ spec launch.PauseSpec }

func (s signals) name() string { return "signals" }

func (s signals) pause(deadline time.Time) error {
	if err := note(s.spec); err != nil {
		return err
	}
	stopped, err := s.stopInOrder(deadline)
	if err != nil {
		return err
	}
	for calm := 0; calm < calmScans; {
		running, err := stopRunning(s.spec.Mark, stopped)
		if err != nil {
			return err
		}
		if running > 0 && time.Now().After(deadline) {
			return launch.Fail(launch.Deadline, nil, "%d processes of the sandbox do not come to a stop", running).
				WithRemedy("they are made faster than they are stopped, or wait in the kernel; try again")
		}
		calm++
		if running > 0 {
			calm = 0
			time.Sleep(100 * time.Microsecond)
		}
	}
	return nil
}

// stopInOrder stops those that there are, the eldest first, each before the next:
// a shell that waits for its children must not see them stopped.
func (s signals) stopInOrder(deadline time.Time) (map[process.Identity]bool, error) {
	found, err := identities(s.spec.Mark)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(found, elderFirst)
	stopped := map[process.Identity]bool{}
	for _, identity := range found {
		if time.Now().After(deadline) {
			break
		}
		stopped[identity] = true
		if err := send(identity.Pid, unix.SIGSTOP); err != nil {
			return nil, err
		}
		for end := time.Now().Add(settle); !process.StandsStill(identity.Pid) && time.Now().Before(end); {
			time.Sleep(20 * time.Microsecond)
		}
	}
	return stopped, nil
}

func send(pid int, signal unix.Signal) error {
	if err := unix.Kill(pid, signal); err != nil && !errors.Is(err, unix.ESRCH) {
		return fmt.Errorf("sending %v to process %d: %w", signal, pid, err)
	}
	return nil
}

// stopRunning signals whoever is not signalled yet, and counts those that run.
func stopRunning(mark uint64, stopped map[process.Identity]bool) (int, error) {
	found, err := process.Marked(mark)
	if err != nil {
		return 0, err
	}
	running := 0
	for _, pid := range found {
		stat, err := process.ReadStat(pid)
		if errors.Is(err, process.ErrGone) {
			continue
		}
		if err != nil {
			return 0, err
		}
		identity := process.Identity{Pid: pid, StartTime: stat.StartTime}
		if !stopped[identity] {
			stopped[identity] = true
			running++
			if err := send(pid, unix.SIGSTOP); err != nil {
				return 0, err
			}
		} else if !process.StandsStill(pid) {
			running++
		}
	}
	return running, nil
}

// resume continues all but those that stood before the pause, the youngest
// first: a shell that waits for its children must not see them stopped.
func (s signals) resume() error {
	before, err := noted(s.spec)
	if err != nil {
		return err
	}
	found, err := identities(s.spec.Mark)
	if err != nil {
		return err
	}
	slices.SortFunc(found, func(a, b process.Identity) int { return elderFirst(b, a) })
	for _, identity := range found {
		if before[identity] {
			continue
		}
		if err := send(identity.Pid, unix.SIGCONT); err != nil {
			return err
		}
	}
	if err := os.Remove(s.spec.StoppedFile); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func elderFirst(a, b process.Identity) int {
	return cmp.Or(cmp.Compare(a.StartTime, b.StartTime), cmp.Compare(a.Pid, b.Pid))
}

// note writes down who stands before the first signal is sent. A note that is
// there is of this pause, which was cut off.
func note(spec launch.PauseSpec) error {
	if _, err := os.Lstat(spec.StoppedFile); err == nil {
		return nil
	}
	found, err := identities(spec.Mark)
	if err != nil {
		return err
	}
	var text strings.Builder
	for _, identity := range found {
		if process.StandsStill(identity.Pid) {
			fmt.Fprintf(&text, "%d %d\n", identity.Pid, identity.StartTime)
		}
	}
	partial := spec.StoppedFile + ".new"
	if err := os.MkdirAll(filepath.Dir(partial), 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(partial, []byte(text.String()), 0o600); err != nil {
		return fmt.Errorf("noting who stands still already: %w", err)
	}
	return os.Rename(partial, spec.StoppedFile)
}

func noted(spec launch.PauseSpec) (map[process.Identity]bool, error) {
	before := map[process.Identity]bool{}
	data, err := os.ReadFile(spec.StoppedFile)
	if errors.Is(err, fs.ErrNotExist) {
		return before, nil
	}
	for line := range strings.Lines(string(data)) {
		var identity process.Identity
		if _, err := fmt.Sscan(line, &identity.Pid, &identity.StartTime); err == nil {
			before[identity] = true
		}
	}
	return before, err
}

func identities(mark uint64) ([]process.Identity, error) {
	found, err := process.Marked(mark)
	if err != nil {
		return nil, err
	}
	var all []process.Identity
	for _, pid := range found {
		if stat, err := process.ReadStat(pid); err == nil {
			all = append(all, process.Identity{Pid: pid, StartTime: stat.StartTime})
		}
	}
	return all, nil
}
