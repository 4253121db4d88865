package mark

import (
	"bytes"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// Bounds of a Kill. A fork bomb of 1,000 processes is stopped within a few passes; what takes long is
// that each of them must first come out of the fork that it is in.
const (
	killWithin = 20 * time.Second
	pauseLeast = 50 * time.Microsecond
	pauseMost  = 5 * time.Millisecond
)

// Counts returns how many processes of each of the sandbox's sessions live.
func (m *Marker) Counts() (map[uint32]int, error) {
	counts := map[uint32]int{}
	err := m.scan(func(s *scanner) error {
		return s.each(func(pid int, mark uint64) {
			if m.isSessions(mark) && !s.dead(pid) {
				counts[uint32(mark&NumberMost)]++
			}
		})
	})
	return counts, err
}

// Signal sends a signal to every process that bears the session's mark and returns how many there
// were.
func (m *Marker) Signal(number uint32, signal unix.Signal) (sent int, err error) {
	err = m.scan(func(s *scanner) error {
		return s.each(func(pid int, mark uint64) {
			if mark == m.Of(number) && unix.Kill(pid, signal) == nil {
				sent++
			}
		})
	})
	return sent, err
}

// Kill ends every process of the session and returns how many are left, which is 0 but for
// processes that the kernel does not let die. It first stops them, until none is left that could
// make another, and only then kills.
func (m *Marker) Kill(number uint32) (left int, err error) {
	err = m.scan(func(s *scanner) (err error) {
		deadline := time.Now().Add(killWithin)
		if _, err := s.stop(func(of uint64) bool { return of == m.Of(number) }, deadline); err != nil {
			return err
		}
		left, err = s.kill(m.Of(number), deadline)
		return err
	})
	return left, err
}

// StopAll stops every process of every session and returns which: those that somebody had stopped
// before are not among them, so that Continue leaves them as they were.
func (m *Marker) StopAll() (stopped []int, err error) {
	err = m.scan(func(s *scanner) (err error) {
		before := map[int]bool{}
		if err := s.each(func(pid int, of uint64) {
			if m.isSessions(of) && s.state(pid) == 'T' {
				before[pid] = true
			}
		}); err != nil {
			return err
		}
		all, err := s.stop(m.isSessions, time.Now().Add(killWithin))
		for pid := range all {
			if !before[pid] {
				stopped = append(stopped, pid)
			}
		}
		return err
	})
	return stopped, err
}

// Continue lets processes go on that StopAll stopped.
func (m *Marker) Continue(pids []int) error {
	return m.scan(func(s *scanner) error {
		stopped := map[int]bool{}
		for _, pid := range pids {
			stopped[pid] = true
		}
		return s.each(func(pid int, of uint64) {
			if stopped[pid] && m.isSessions(of) {
				_ = unix.Kill(pid, unix.SIGCONT)
			}
		})
	})
}

func (m *Marker) isSessions(mark uint64) bool {
	return mark>>sessionBits == m.sandbox && mark&NumberMost != 0
}

// stop sends SIGSTOP to what bears such marks, pass by pass, until a pass finds no process that was
// not stopped, and returns whom it was sent to. A process to which the signal was sent makes no other one, whatever it was doing,
// unless another session wakes it: so the last pass looks at the states too.
func (s *scanner) stop(wanted func(mark uint64) bool, deadline time.Time) (map[int]struct{}, error) {
	stopped := map[int]struct{}{}
	look := false
	for {
		fresh := 0
		if err := s.each(func(pid int, of uint64) {
			if !wanted(of) {
				return
			}
			if _, before := stopped[pid]; before && (!look || !s.runs(pid)) {
				return
			}
			if unix.Kill(pid, unix.SIGSTOP) == nil {
				stopped[pid] = struct{}{}
				fresh++
			}
		}); err != nil {
			return stopped, err
		}
		if fresh == 0 && look || time.Now().After(deadline) {
			return stopped, nil
		}
		look = fresh == 0
	}
}

// kill sends SIGKILL until none but zombies is left.
func (s *scanner) kill(mark uint64, deadline time.Time) (left int, err error) {
	pause := pauseLeast
	for {
		left = 0
		if err := s.each(func(pid int, of uint64) {
			if of == mark && unix.Kill(pid, unix.SIGKILL) == nil && !s.dead(pid) {
				left++
			}
		}); err != nil {
			return left, err
		}
		if left == 0 || time.Now().After(deadline) {
			return left, nil
		}
		time.Sleep(pause)
		pause = min(2*pause, pauseMost)
	}
}

func (s *scanner) dead(pid int) bool {
	state := s.state(pid)
	return state == 0 || state == 'Z' || state == 'X'
}

// runs says whether a process can make another: it is neither stopped nor about to be, as soon as it
// gets a processor.
func (s *scanner) runs(pid int) bool {
	text := s.read(pid, "/status")
	_, state, found := bytes.Cut(text, []byte("\nState:\t"))
	if !found || len(state) == 0 || state[0] != 'R' && state[0] != 'S' {
		return false
	}
	_, pending, _ := bytes.Cut(text, []byte("\nShdPnd:\t"))
	if len(pending) < 16 {
		return true
	}
	signals, err := strconv.ParseUint(string(pending[:16]), 16, 64)
	return err != nil || signals>>(unix.SIGSTOP-1)&1 == 0
}

// state is the letter of /proc/PID/stat, or 0 when the process is gone.
func (s *scanner) state(pid int) byte {
	// The name in parentheses may hold anything, so the last parenthesis counts.
	text := s.read(pid, "/stat")
	end := bytes.LastIndexByte(text, ')')
	if end < 0 || end+2 >= len(text) {
		return 0
	}
	return text[end+2]
}

// read returns a file of a process, valid until the next call, and nothing where it is gone.
func (s *scanner) read(pid int, name string) []byte {
	fd, err := unix.Openat(s.proc, strconv.Itoa(pid)+name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	n, err := unix.Read(fd, s.text[:])
	if err != nil || n <= 0 {
		return nil
	}
	return s.text[:n]
}
