package launch

// DiscoverSpec asks what exists outside under the names of one home.
type DiscoverSpec struct {
	Version int `json:"version"`
	// CgroupParent is the group above those of the home's sandboxes.
	CgroupParent string `json:"cgroup_parent"`
	// RunFolder holds a folder for each sandbox that runs; so its processes and
	// mounts are known by their words.
	RunFolder string `json:"run_folder"`
	// Folders whose mounts beneath a sandbox's id are its own.
	Folders []string `json:"folders"`
	// Suspects are sandboxes of which something is known already, by whose mark
	// the processes are found that hide everything else.
	Suspects []Suspect `json:"suspects"`
}

// Suspect is a sandbox that may have processes.
type Suspect struct {
	Key  string `json:"key"`
	Mark uint64 `json:"mark"`
}

// Discovered is the answer of discover.
type Discovered struct {
	Version int     `json:"version"`
	Traces  []Trace `json:"traces"`
}

// Trace is something that exists and bears a sandbox's name.
type Trace struct {
	Key  string `json:"key"`
	Kind string `json:"kind"` // "cgroup", "mount" or "process"
	Name string `json:"name"` // a path, or a pid
}
