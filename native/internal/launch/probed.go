package launch

// Probed is what probe found out about this host. Every fact was tried, not
// read off a version number; what is false has its reason in Reasons.
type Probed struct {
	Version int    `json:"version"`
	Kernel  string `json:"kernel"`
	Arch    string `json:"arch"`
	Euid    int    `json:"euid"`
	User    string `json:"user,omitempty"`
	// Cgroup is what start could use.
	Cgroup ProbedCgroup `json:"cgroup"`
	// UserNamespaces: one was made.
	UserNamespaces bool `json:"user_namespaces"`
	// Overlay: one was mounted (as root, or rootless in a user namespace).
	Overlay bool `json:"overlay"`
	// OverlayUserxattr: one was mounted in a user namespace.
	OverlayUserxattr bool `json:"overlay_userxattr"`
	// IdmappedMounts: one was made, and an overlay above it.
	IdmappedMounts bool `json:"idmapped_mounts"`
	// Seccomp: filters can be installed.
	Seccomp bool `json:"seccomp"`
	// PidfdOpen and Openat2 are needed by stop and by every safe path.
	Pidfd   bool `json:"pidfd"`
	Openat2 bool `json:"openat2"`
	// SubUids and SubGids are the caller's subordinate ranges.
	SubUids []SubRange `json:"sub_uids"`
	SubGids []SubRange `json:"sub_gids"`
	// Newuidmap and Newgidmap are paths, or absent.
	Newuidmap string `json:"newuidmap,omitempty"`
	Newgidmap string `json:"newgidmap,omitempty"`
	// Runtimes found in the folder of tools and in PATH.
	Runtimes []ProbedRuntime `json:"runtimes"`
	// Reasons explain what is false, by the JSON name of the fact.
	Reasons     map[string]string `json:"reasons"`
	TotalMicros int64             `json:"total_micros"`
}

// ProbedCgroup describes the control groups.
type ProbedCgroup struct {
	// Layout is v1, hybrid, v2 or none.
	Layout string `json:"layout"`
	// Controllers that start can really use: memory, pids, cpu, freezer
	// (on v2 the freezer is always there). Empty: no limits, no pause by group.
	Controllers []string `json:"controllers"`
	// Root is the folder beneath which groups are made on v2; on v1 the folder
	// of the hierarchies.
	Root string `json:"root,omitempty"`
}

// SubRange is one subordinate range.
type SubRange struct {
	Start uint32 `json:"start"`
	Count uint32 `json:"count"`
}

// ProbedRuntime is one OCI runtime.
type ProbedRuntime struct {
	Name string `json:"name"`
	Path string `json:"path"`
	// Problem is why it cannot be used here although it is there; absent: it can.
	Problem string `json:"problem,omitempty"`
	// RuntimeVersion is the first line of its --version, or absent when it does
	// not answer.
	RuntimeVersion string `json:"runtime_version,omitempty"`
}
