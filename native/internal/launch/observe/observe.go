// Package observe looks at many sandboxes without starting any process.
package observe

import (
	"errors"

	"cortex.dev/native/internal/launch"
	"cortex.dev/native/internal/launch/cgroup"
	"cortex.dev/native/internal/launch/process"
)

// All observes every handle of a request. What cannot be seen is Unknown; only
// the lack of the host's own facts is an error.
func All(spec launch.ObserveSpec) (launch.Observed, error) {
	if spec.Version != launch.Version {
		return launch.Observed{}, launch.Fail(launch.InvalidArgument, nil, "version %d is not %d", spec.Version, launch.Version)
	}
	boot, err := process.BootID()
	if err != nil {
		return launch.Observed{}, err
	}
	layout, err := cgroup.Find()
	if err != nil {
		return launch.Observed{}, err
	}
	observed := launch.Observed{Version: launch.Version, Observations: make(map[string]launch.Observation, len(spec.Handles))}
	for _, handle := range spec.Handles {
		observed.Observations[handle.Key] = one(handle, boot, layout)
	}
	return observed, nil
}

func one(handle launch.Observe, boot string, layout cgroup.Layout) launch.Observation {
	switch {
	case handle.Pid < 2 || handle.BootID == "" || handle.StartTime == 0:
		return launch.Observation{State: launch.Unknown, Reason: "the handle does not identify a process"}
	case handle.BootID != boot:
		return launch.Observation{State: launch.Absent, Reason: "the host was booted since"}
	}
	stat, err := process.ReadStat(handle.Pid)
	switch {
	case errors.Is(err, process.ErrGone):
		return launch.Observation{State: launch.Absent, Reason: err.Error()}
	case err != nil:
		return launch.Observation{State: launch.Unknown, Reason: err.Error()}
	case stat.StartTime != handle.StartTime:
		return launch.Observation{State: launch.Absent, Reason: "the pid belongs to a later process"}
	case stat.Dead():
		return launch.Observation{State: launch.Absent, Reason: "the process has ended"}
	case stat.State == 'T':
		return launch.Observation{State: launch.Paused}
	case handle.CgroupName == "":
		return launch.Observation{State: launch.Running}
	}
	frozen, err := layout.Of(handle.CgroupName).Frozen()
	switch {
	case err != nil:
		return launch.Observation{State: launch.Unknown, Reason: err.Error()}
	case frozen:
		return launch.Observation{State: launch.Paused}
	default:
		return launch.Observation{State: launch.Running}
	}
}
