// Package launch holds the contract between the daemon and the launcher: the
// records that travel as JSON over standard input and output, and their checks.
//
// Every verb reads one record and answers one. Paths are absolute paths of the
// host unless a comment says otherwise, sizes are bytes, times are microseconds.
// Unknown fields are refused: a field that is not understood is a promise that
// would be broken silently.
package launch

// Version is the version of every record here; another is refused.
const Version = 1

// MaxInput is the largest record accepted on standard input. An OCI config with
// its seccomp list has 30 KiB; 1,000 handles to observe have 300 KiB.
const MaxInput = 4 << 20

// Spec says how one sandbox is started.
type Spec struct {
	// Version is always 1.
	Version int `json:"version"`
	// ID names the sandbox, and is the runtime's name of the container:
	// 1 to 64 of [A-Za-z0-9_-], the first a letter or a digit.
	ID string `json:"id"`
	// Runtime is what runs the first process.
	Runtime Runtime `json:"runtime"`
	// Bundle is an existing folder of this sandbox alone, not reachable from
	// inside and outside its disk. The launcher writes config.json, runtime.log
	// and the empty folder mnt into it. Needed with runtime oci.
	Bundle string `json:"bundle,omitempty"`
	// Config is the OCI runtime configuration, written to the bundle with what
	// CgroupView adds. Its root.path is "mnt/rootfs" (see Mounts). Needed with
	// runtime oci.
	Config RawObject `json:"config,omitempty"`
	// Mounts are done in order, in a mount namespace that nothing else sees and
	// that ends with the sandbox; nothing is ever mounted on the host. In it,
	// <bundle>/mnt is a small tmpfs with the empty folder rootfs.
	Mounts []Mount `json:"mounts,omitempty"`
	// Idmap is the mapping that idmapped mounts of the plan use: disk id
	// container_id is shown to the sandbox's user namespace as host_id. It is
	// the same mapping as the config's linux.uidMappings. Not in rootless.
	Idmap *Mapping `json:"idmap,omitempty"`
	// Listen is the Unix socket that the first process gets as descriptor 3.
	Listen *Listen `json:"listen,omitempty"`
	// Cgroup has the limits; absent: the first process stays in the groups of
	// the caller. Needs root or, on v2, a delegated subtree.
	Cgroup *Cgroup `json:"cgroup,omitempty"`
	// Rootless, when present, makes the launcher enter a user namespace of its
	// own before anything else: the mapping is applied by newuidmap and
	// newgidmap. The config's own mapping then refers to ids inside it (hostID 0
	// is the caller), in ranges that do not span two of it: the kernel refuses
	// those. Refused for root.
	Rootless *Mapping `json:"rootless,omitempty"`
	// Disk is made before anything that uses it; absent: it is there.
	Disk *Disk `json:"disk,omitempty"`
	// Restore is the folder of a checkpoint: the sandbox goes on from there instead
	// of beginning with the config's process. The first process then opens the
	// channel in Listen.Shared by itself. Only runsc.
	Restore string `json:"restore,omitempty"`
	// Process is the first process with runtime none.
	Process *Process `json:"process,omitempty"`
	// Console is a file that gets the first process's standard output and
	// error, made with mode 0600 and emptied. What is inside sees "/<file name>"
	// behind /proc/1/fd/1, never the folder. Who writes (the neuron) keeps it
	// under 64 KiB; who reads takes the last 64 KiB at most. Absent: /dev/null.
	Console string `json:"console,omitempty"`
	// PidFile gets the first process's pid in decimal, written whole before the
	// launcher answers, so that a caller that was killed meanwhile finds it.
	PidFile string `json:"pid_file,omitempty"`
}

// RuntimeKind is one of the two ways to run a first process.
type RuntimeKind string

const (
	// None is a plain child in a session of its own: no isolation.
	None RuntimeKind = "none"
	// Oci is an OCI runtime program.
	Oci RuntimeKind = "oci"
)

// Runtime is the program that makes the sandbox.
type Runtime struct {
	Kind RuntimeKind `json:"kind"`
	// Flavour is "crun", "runc" or "runsc"; another is UNSUPPORTED. Needed with kind oci.
	Flavour string `json:"flavour,omitempty"`
	// Program is the path of the runtime. Needed with kind oci.
	Program string `json:"program,omitempty"`
	// StateRoot is the runtime's own state folder (crun --root), made with mode
	// 0700 when it is missing. Needed with kind oci.
	StateRoot string `json:"state_root,omitempty"`
}

// Mount is one step of the plan: exactly one field is set.
type Mount struct {
	Overlay    *Overlay    `json:"overlay,omitempty"`
	Bind       *Bind       `json:"bind,omitempty"`
	Tmpfs      *Tmpfs      `json:"tmpfs,omitempty"`
	CgroupView *CgroupView `json:"cgroup_view,omitempty"`
	Live       *Live       `json:"live,omitempty"`
}

// Target is where in the sandbox a mount goes: an absolute path inside the root
// file system ("/" is the root itself). It is resolved with RESOLVE_IN_ROOT: a
// link that a guest left there cannot lead out. A missing folder (or file, for
// the bind of a file) is made, owned by the sandbox's root.
type Target = string

// Overlay is an overlay file system. What is inside sees short names in its
// mount options ("l0:l1", "d0/upper"), no path of the host.
type Overlay struct {
	// Lowers, the topmost first; at least one. Never written.
	Lowers []string `json:"lowers"`
	// Upper and Work are folders on one file system, beside each other in one
	// folder (the disk), whose names differ. Both absent: read-only.
	Upper  string `json:"upper,omitempty"`
	Work   string `json:"work,omitempty"`
	Target Target `json:"target"`
	// IdmapLowers shows the lowers through Spec.Idmap: owners are stored
	// unshifted and are right inside. Without it all is nobody's.
	IdmapLowers bool `json:"idmap_lowers,omitempty"`
	// IdmapUpper does so with the disk: it holds ids 0 to 65535.
	IdmapUpper bool `json:"idmap_upper,omitempty"`
	// Userxattr is needed (and only allowed) in a user namespace: rootless.
	Userxattr bool `json:"userxattr,omitempty"`
}

// Bind shows a file or folder of the host. Its path in its own file system can
// be read inside in mountinfo, unless it is hidden.
type Bind struct {
	Source string `json:"source"`
	Target Target `json:"target"`
	// ReadOnly holds for submounts as well.
	ReadOnly bool `json:"read_only,omitempty"`
	// Idmap shows it through Spec.Idmap.
	Idmap bool `json:"idmap,omitempty"`
	// Recursive takes the submounts along.
	Recursive bool `json:"recursive,omitempty"`
	// File says that source is a file, so that the target is made as one.
	File bool `json:"file,omitempty"`
	// Hidden shows the source through a read-only overlay of its folder, so
	// that mountinfo has "/<name>" instead of its path. Needs ReadOnly, and
	// excludes Recursive.
	Hidden bool `json:"hidden,omitempty"`
}

// Tmpfs is a file system in memory, owned by the sandbox's root, always
// nosuid and nodev.
type Tmpfs struct {
	Target Target `json:"target"`
	// Size in bytes; at least one page.
	Size int64 `json:"size"`
	// Inodes at most; 0: as many as the kernel thinks right for Size.
	Inodes int64 `json:"inodes,omitempty"`
	// Mode is octal digits, "1777"; absent: "755".
	Mode string `json:"mode,omitempty"`
	// NoExec refuses to run programs from it.
	NoExec bool `json:"noexec,omitempty"`
}

// Live shows a folder of the host while both sides use it, through a guard (see
// package live): as its owner's, nosuid and nodev, without what is mounted
// beneath it, and with no path of the host in mountinfo.
type Live struct {
	Source string `json:"source"`
	Target Target `json:"target"`
	// ReadOnly lets nothing be changed from inside.
	ReadOnly bool `json:"read_only,omitempty"`
	// WritableHooks lets also what the host would run by itself be changed.
	WritableHooks bool `json:"writable_hooks,omitempty"`
	// UID and GID are whom inside the folder's owner is shown as. What is
	// missing of the target beneath Home is made as theirs.
	UID  int    `json:"uid"`
	GID  int    `json:"gid"`
	Home string `json:"home"`
}

// CgroupView shows the sandbox's own control groups, read-only, in the layout
// of the host (v1: one folder a controller; v2: the group itself). Its place is
// <bundle>/mnt/cgroup, and the config binds that to /sys/fs/cgroup (options ro,
// nosuid, nodev, noexec), because /sys is mounted by the runtime. What lies below
// it on v1 the launcher adds to the config's mounts. Without Spec.Cgroup the
// folder is there and empty.
type CgroupView struct{}

// Mapping maps user and group ids between a user namespace and its parent.
type Mapping struct {
	// Uids and Gids have at least one range each. In Spec.Rootless both may be
	// empty: then 0 is the caller and 1 to 65535 come from its first
	// subordinate range that is long enough.
	Uids []IDRange `json:"uids,omitempty"`
	Gids []IDRange `json:"gids,omitempty"`
}

// IDRange maps Size ids from ContainerID on to those from HostID on.
type IDRange struct {
	ContainerID uint32 `json:"container_id"`
	HostID      uint32 `json:"host_id"`
	Size        uint32 `json:"size"`
}

// Listen is a listening Unix stream socket.
type Listen struct {
	// Path of at most 107 bytes. Its folder is made with mode 0700 when missing
	// and must belong to the caller alone; what is left there of an earlier
	// start is removed; the socket has mode 0600.
	Path string `json:"path"`
	// Backlog of connections; 0: 128.
	Backlog int `json:"backlog,omitempty"`
	// Shared is a folder on the same file system, of this sandbox alone, for a
	// runtime that cannot hand a descriptor on (runsc): the config binds it into
	// the sandbox, the first process binds a socket "n.sock" there, and start
	// links that socket to Path. Absent: the socket is descriptor 3.
	Shared string `json:"shared,omitempty"`
}

// Cgroup has the control group's name and limits; 0 means no limit.
type Cgroup struct {
	// Name is relative to the root of each hierarchy (v1) or to the delegated
	// subtree (v2), "cortex-<8 hex of the home>/<sandbox id>": two parts of
	// [A-Za-z0-9_.-], the first beginning with "cortex-".
	Name string `json:"name"`
	// MemoryBytes is the limit of memory; there is no swap beyond it.
	MemoryBytes int64 `json:"memory_bytes,omitempty"`
	// Pids is the limit of processes and threads, the neuron's included.
	Pids int64 `json:"pids,omitempty"`
	// CPUQuotaMicros of each CPUPeriodMicros (0: 100,000).
	CPUQuotaMicros  int64 `json:"cpu_quota_micros,omitempty"`
	CPUPeriodMicros int64 `json:"cpu_period_micros,omitempty"`
	// CPUShares is the v1 weight, 2 to 262,144 (1,024 is one sandbox's fair
	// share); on v2 it becomes cpu.weight. 0: 1,024.
	CPUShares int64 `json:"cpu_shares,omitempty"`
	// Cpus, when not 0, sets the affinity to that many processors, so that
	// nproc agrees with a whole-number quota.
	Cpus int `json:"cpus,omitempty"`
}

// Process is a plain child: the neuron of the driver process.
type Process struct {
	// Argv with the program's path first.
	Argv []string `json:"argv"`
	// Env is the whole environment, "NAME=value".
	Env []string `json:"env"`
	// Cwd is the working directory.
	Cwd string `json:"cwd"`
	// Mark is the soft limit RLIMIT_LOCKS that every process of the sandbox
	// carries and by which stop finds it: the high 42 bits are the sandbox's,
	// the low 22 the session's, which is 0 for the neuron. Needed.
	Mark uint64 `json:"mark"`
}

// Started is the answer of start.
type Started struct {
	Version int `json:"version"`
	// Pid, StartTime (clock ticks since boot, field 22 of /proc/<pid>/stat) and
	// BootID together identify the first process.
	Pid       int    `json:"pid"`
	StartTime uint64 `json:"start_time"`
	BootID    string `json:"boot_id"`
	// Socket identifies the listening socket's file.
	Socket *SocketFile `json:"socket,omitempty"`
	// Cgroups are the groups that were made, one a hierarchy.
	Cgroups []CgroupPath `json:"cgroups,omitempty"`
	// Timings are the steps in order; their sum is less than Total by the time
	// between them.
	Timings []Timing `json:"timings"`
	// TotalMicros is from the launcher's first instruction to this answer.
	TotalMicros int64 `json:"total_micros"`
}

// SocketFile is the identity of a socket's file: another one there was not made
// by the launcher.
type SocketFile struct {
	Path   string `json:"path"`
	Device uint64 `json:"device"`
	Inode  uint64 `json:"inode"`
}

// CgroupPath is one group: the controller's name ("memory", …), or "" on v2.
type CgroupPath struct {
	Controller string `json:"controller"`
	Path       string `json:"path"`
}

// Timing is one step of start.
type Timing struct {
	Step   string `json:"step"`
	Micros int64  `json:"micros"`
}
