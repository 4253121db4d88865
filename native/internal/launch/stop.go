package launch

// StopSpec names everything that start may have made. Stop is idempotent and
// needs no answer of start: without Pid it goes by the group, the mark and the
// runtime's state alone.
type StopSpec struct {
	Version int     `json:"version"`
	ID      string  `json:"id"`
	Runtime Runtime `json:"runtime"`
	// Identity of the first process, when it is known. It is signalled only if
	// all three agree.
	Pid       int    `json:"pid,omitempty"`
	StartTime uint64 `json:"start_time,omitempty"`
	BootID    string `json:"boot_id,omitempty"`
	// CgroupName is Spec.Cgroup.Name.
	CgroupName string `json:"cgroup_name,omitempty"`
	// Mark is Spec.Process.Mark (or the config's RLIMIT_LOCKS): all processes
	// whose soft limit agrees in its high 42 bits are killed.
	Mark uint64 `json:"mark,omitempty"`
	// Rootless as it was at start.
	Rootless *Mapping `json:"rootless,omitempty"`
	// Socket, Shared, PidFile and Bundle are removed; Shared and Bundle with all
	// that is in them, never following a link, never crossing into a mount.
	Socket  string `json:"socket,omitempty"`
	Shared  string `json:"shared,omitempty"`
	PidFile string `json:"pid_file,omitempty"`
	Bundle  string `json:"bundle,omitempty"`
	// DeadlineMillis is how long processes are waited for; 0: 10,000.
	DeadlineMillis int64 `json:"deadline_millis,omitempty"`
}

// Stopped is the answer of stop. It is an answer, not an error, also when
// something is left; the exit status is then 1.
type Stopped struct {
	Version int `json:"version"`
	// Killed counts the processes that were alive when stop began to kill.
	Killed int `json:"killed"`
	// Counters of the control groups, read before they were removed.
	Counters *Counters `json:"counters,omitempty"`
	// Remaining is what still exists after looking again; empty is success.
	Remaining   []Remainder `json:"remaining"`
	TotalMicros int64       `json:"total_micros"`
}

// Counters tell what a sandbox died of, as far as the kernel kept it.
type Counters struct {
	// OomKills is how many processes the kernel killed for the memory limit.
	OomKills int64 `json:"oom_kills"`
	// MemoryPeakBytes is the largest use of memory.
	MemoryPeakBytes int64 `json:"memory_peak_bytes"`
	// PidsRefused is how often the limit of processes refused one.
	PidsRefused int64 `json:"pids_refused"`
}

// Remainder is one thing that stop could not remove.
type Remainder struct {
	// Kind is process, cgroup, state, bundle, socket or pid_file.
	Kind string `json:"kind"`
	// Name is the pid or the path.
	Name string `json:"name"`
	// Reason in the words of the system, when there are any.
	Reason string `json:"reason,omitempty"`
}
