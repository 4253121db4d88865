// Package pause makes a sandbox stand still, its memory kept, and go on.
package pause

import (
	"errors"
	"fmt"
	"time"

	"cortex.dev/native/internal/launch"
	"cortex.dev/native/internal/launch/cgroup"
	"cortex.dev/native/internal/launch/process"
)

const (
	defaultDeadline = 10 * time.Second
	// lookAgain is how often the kernel is asked whether all have come to a stop.
	lookAgain = 500 * time.Microsecond
)

// Pause stops every process of a checked specification and returns once they
// stand still. What does not come to a stop in time goes on.
func Pause(spec launch.PauseSpec) (launch.Changed, error) { return change(spec, launch.Paused) }

// Resume lets them go on.
func Resume(spec launch.PauseSpec) (launch.Changed, error) { return change(spec, launch.Running) }

// way is how a sandbox is stopped.
type way interface {
	name() string
	pause(deadline time.Time) error
	resume() error
}

func change(spec launch.PauseSpec, to launch.State) (launch.Changed, error) {
	began := time.Now()
	if err := lives(spec); err != nil {
		return launch.Changed{}, err
	}
	chosen, err := choose(spec)
	if err != nil {
		return launch.Changed{}, err
	}
	if to == launch.Running {
		err = chosen.resume()
	} else if err = chosen.pause(deadline(spec, began)); err != nil {
		err = errors.Join(err, chosen.resume())
	}
	if err != nil {
		return launch.Changed{}, err
	}
	return launch.Changed{
		Version: launch.Version, State: to, By: chosen.name(), TotalMicros: time.Since(began).Microseconds(),
	}, nil
}

func deadline(spec launch.PauseSpec, began time.Time) time.Time {
	if spec.DeadlineMillis > 0 {
		return began.Add(time.Duration(spec.DeadlineMillis) * time.Millisecond)
	}
	return began.Add(defaultDeadline)
}

// lives refuses what has no first process: nothing would be paused, and whoever
// asked must not believe it.
func lives(spec launch.PauseSpec) error {
	boot, err := process.BootID()
	if err != nil {
		return err
	}
	gone := launch.Fail(launch.NotFound, nil, "the first process of %s is gone", spec.ID)
	if boot != spec.BootID {
		return gone
	}
	stat, err := process.ReadStat(spec.Pid)
	switch {
	case errors.Is(err, process.ErrGone), err == nil && (stat.StartTime != spec.StartTime || stat.Dead()):
		return gone
	default:
		return err
	}
}

func choose(spec launch.PauseSpec) (way, error) {
	if spec.CgroupName != "" {
		layout, err := cgroup.Find()
		if err != nil {
			return nil, err
		}
		group := layout.Of(spec.CgroupName)
		if group.CanFreeze() {
			return freezer{group}, nil
		}
	}
	if spec.Mark != 0 {
		return signals{spec}, nil
	}
	return nil, launch.Fail(launch.Unsupported, nil, "the sandbox %s has no control group with a freezer", spec.ID).
		WithRemedy("run the daemon as root, or with a delegated cgroup v2 subtree")
}

type freezer struct{ group cgroup.Group }

func (f freezer) name() string { return "freezer" }

// pause asks again in each round: v1 does not come back by itself to a process
// that was on its way into the group.
func (f freezer) pause(deadline time.Time) error {
	for {
		if err := f.group.Freeze(); err != nil {
			return fmt.Errorf("freezing the sandbox: %w", err)
		}
		still, err := f.group.Frozen()
		if err != nil || still {
			return err
		}
		if time.Now().After(deadline) {
			return launch.Fail(launch.Deadline, nil, "the sandbox does not come to a stop").
				WithRemedy("a process waits in the kernel; look at its state in ps, then try again")
		}
		time.Sleep(lookAgain)
	}
}

func (f freezer) resume() error {
	if err := f.group.Thaw(); err != nil {
		return fmt.Errorf("thawing the sandbox: %w", err)
	}
	return nil
}
