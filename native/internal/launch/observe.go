package launch

// ObserveSpec asks for many sandboxes at once.
type ObserveSpec struct {
	Version int       `json:"version"`
	Handles []Observe `json:"handles"`
}

// Observe is one sandbox to look at.
type Observe struct {
	// Key comes back in the answer; the sandbox's id.
	Key       string `json:"key"`
	Pid       int    `json:"pid"`
	StartTime uint64 `json:"start_time"`
	BootID    string `json:"boot_id"`
	// CgroupName, when there is one, tells paused from running.
	CgroupName string `json:"cgroup_name,omitempty"`
}

// State is what was seen of a sandbox.
type State string

const (
	// Running: the first process lives.
	Running State = "running"
	// Paused: it lives, and is frozen or stopped by a signal.
	Paused State = "paused"
	// Absent: it is certainly gone (another boot, no such process, another
	// start time, a zombie).
	Absent State = "absent"
	// Unknown: it could not be seen; never to be read as Absent.
	Unknown State = "unknown"
)

// Observed is the answer of observe, by key.
type Observed struct {
	Version      int                    `json:"version"`
	Observations map[string]Observation `json:"observations"`
}

// Observation is one State, with the reason for Absent and Unknown.
type Observation struct {
	State  State  `json:"state"`
	Reason string `json:"reason,omitempty"`
}
