package launch

// CheckpointSpec asks for the memory of a sandbox whose neuron was told to
// quiesce and to close its channel. Only runsc has it.
type CheckpointSpec struct {
	Version int     `json:"version"`
	ID      string  `json:"id"`
	Runtime Runtime `json:"runtime"`
	// Image is a folder that does not exist or is empty; it gets the checkpoint.
	Image string `json:"image"`
	// Bundle is where the runtime's log goes.
	Bundle string `json:"bundle"`
	// Reopen opens the channel again for a sandbox that is to go on. Without it the
	// sandbox stands still until it is stopped.
	Reopen bool `json:"reopen,omitempty"`
	// Listen is Spec.Listen.
	Listen Listen `json:"listen"`
	// Idmap is Spec.Idmap.
	Idmap *Mapping `json:"idmap,omitempty"`
	// Pid is the first process, whose end is noticed while the channel is waited
	// for.
	Pid int `json:"pid"`
}

// Checkpointed is the answer of checkpoint.
type Checkpointed struct {
	Version int `json:"version"`
	// Socket is the channel's new one, where it was opened again.
	Socket *SocketFile `json:"socket,omitempty"`
	// SavedMicros is how long the sandbox stood still for it.
	SavedMicros int64 `json:"saved_micros"`
	TotalMicros int64 `json:"total_micros"`
}

// Check is every fault of the request together, or nil.
func (s *CheckpointSpec) Check() error {
	faults := newFaults(s.Version, s.ID, s.Runtime)
	faults.refuse(s.Runtime.Kind != Oci, "a checkpoint needs runtime oci")
	faults.path("image", s.Image)
	faults.path("bundle", s.Bundle)
	faults.path("listen.path", s.Listen.Path)
	faults.path("listen.shared", s.Listen.Shared)
	faults.refuse(s.Pid < 2, "pid is no sandbox's")
	if s.Idmap != nil {
		faults.mapping("idmap", *s.Idmap)
	}
	return faults.asError()
}

// RootIDs are the host's ids of the sandbox's root; the caller's without a
// mapping.
func (m *Mapping) RootIDs(uid, gid int) (int, int) {
	if m == nil {
		return uid, gid
	}
	return rootOf(m.Uids, uid), rootOf(m.Gids, gid)
}

func rootOf(ranges []IDRange, otherwise int) int {
	for _, ids := range ranges {
		if ids.ContainerID == 0 {
			return int(ids.HostID)
		}
	}
	return otherwise
}
