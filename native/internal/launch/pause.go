package launch

// PauseSpec names a sandbox that is to stand still or to go on. Both are
// idempotent.
type PauseSpec struct {
	Version int    `json:"version"`
	ID      string `json:"id"`
	// Identity of the first process.
	Pid       int    `json:"pid"`
	StartTime uint64 `json:"start_time"`
	BootID    string `json:"boot_id"`
	// CgroupName is Spec.Cgroup.Name: its freezer stops all processes at once,
	// those of a runtime too.
	CgroupName string `json:"cgroup_name,omitempty"`
	// Mark is Spec.Process.Mark; without a group the processes that have it are
	// stopped by signals. Absent: without a group it is UNSUPPORTED.
	Mark uint64 `json:"mark,omitempty"`
	// StoppedFile keeps who was stopped before the pause, by signals of the
	// sandbox's own, and is to stay so after it. Needed with Mark.
	StoppedFile string `json:"stopped_file,omitempty"`
	// DeadlineMillis is how long the kernel may take; 0: 10,000. What has not
	// come to a stop by then goes on.
	DeadlineMillis int64 `json:"deadline_millis,omitempty"`
}

// Changed is the answer of pause and resume.
type Changed struct {
	Version int `json:"version"`
	// State is Paused or Running, as it was seen afterwards.
	State State `json:"state"`
	// By is "freezer" or "signals".
	By          string `json:"by"`
	TotalMicros int64  `json:"total_micros"`
}

// Check is every fault of the request together, or nil.
func (s *PauseSpec) Check() error {
	faults := &faults{}
	faults.refuse(s.Version != Version, "version %d is not %d", s.Version, Version)
	faults.refuse(!idShape.MatchString(s.ID), "id %q is no name", s.ID)
	if s.CgroupName != "" {
		faults.cgroup("cgroup_name", s.CgroupName)
	}
	faults.refuse(s.Pid < 2 || s.StartTime == 0 || s.BootID == "", "pid, start_time and boot_id identify the first process")
	faults.refuse(s.Mark != 0 && s.Mark>>SessionBits == 0, "mark has nothing in its high bits")
	if s.Mark != 0 {
		faults.path("stopped_file", s.StoppedFile)
	}
	return faults.asError()
}
