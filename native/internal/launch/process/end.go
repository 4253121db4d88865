package process

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// Members lists the processes that are to end; it is asked again until it finds
// none.
type Members func() ([]int, error)

// End kills all members, those that they still make included, and says how many
// there were at first. Before the first kill all are stopped, in passes until a
// pass finds nobody new, since a process that forks faster than it is killed is
// never caught otherwise. An error if some are left at the deadline.
func End(members Members, deadline time.Time) (int, error) {
	first, err := members()
	if err != nil || len(first) == 0 {
		return 0, err
	}
	for {
		if err := stopAll(members, deadline); err != nil {
			return len(first), err
		}
		left, err := members()
		if err != nil || len(left) == 0 {
			return len(first), err
		}
		if time.Now().After(deadline) {
			return len(first), fmt.Errorf("%d processes outlived SIGKILL, process %d among them", len(left), left[0])
		}
		signalAll(left, unix.SIGKILL)
		time.Sleep(200 * time.Microsecond)
	}
}

func stopAll(members Members, deadline time.Time) error {
	stopped := map[int]bool{}
	for news := true; news && time.Now().Before(deadline); {
		news = false
		pids, err := members()
		if err != nil {
			return err
		}
		for _, pid := range pids {
			if !stopped[pid] {
				stopped[pid], news = true, true
				signalAll([]int{pid}, unix.SIGSTOP)
			}
		}
	}
	return nil
}

// signalAll ignores who is gone: the members are listed again afterwards.
func signalAll(pids []int, signal unix.Signal) {
	for _, pid := range pids {
		_ = unix.Kill(pid, signal)
	}
}
