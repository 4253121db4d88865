package launch

import "path"

// PoolKind is how a home keeps its disks.
type PoolKind string

// The kinds of a pool.
const (
	// FolderPool: plain folders, no limit.
	FolderPool PoolKind = "folder"
	// BtrfsPool: subvolumes of the btrfs that the home lies on.
	BtrfsPool PoolKind = "btrfs"
	// ImagePool: subvolumes of a btrfs in an image file of the home.
	ImagePool PoolKind = "image"
)

// PoolChoice is what the settings say of a home's pool.
type PoolChoice string

// The choices.
const (
	// PoolAuto takes the best that this host allows.
	PoolAuto PoolChoice = "auto"
	// PoolFolder takes a plain folder, unless the home has another pool already.
	PoolFolder PoolChoice = "folder"
	// PoolBtrfs fails where there is no btrfs to be had.
	PoolBtrfs PoolChoice = "btrfs"
)

// PoolSpec is the request of the verb pool.
type PoolSpec struct {
	Version int `json:"version"`
	// Home is the folder that holds disks and disks.img.
	Home   string     `json:"home"`
	Choice PoolChoice `json:"choice"`
	// Mount: one that exists is mounted.
	Mount bool `json:"mount,omitempty"`
	// Make: a pool that does not exist yet is made; otherwise it is only told
	// what would be made.
	Make bool `json:"make,omitempty"`
	// Grow: the image gets StepBytes more.
	Grow bool `json:"grow,omitempty"`
	// Unmount: the pool is unmounted and its loop device let go.
	Unmount bool `json:"unmount,omitempty"`
	// InitialBytes is the size of a new image.
	InitialBytes int64 `json:"initial_bytes"`
	// StepBytes is what an image grows by.
	StepBytes int64 `json:"step_bytes"`
	// MarginBytes of the host's file system stay free whatever happens.
	MarginBytes int64 `json:"margin_bytes"`
}

// PoolState is the answer of the verb pool.
type PoolState struct {
	Version int      `json:"version"`
	Kind    PoolKind `json:"kind"`
	// Ready: it exists and can be written to.
	Ready bool `json:"ready"`
	// Limits: a disk's limit holds.
	Limits bool `json:"limits"`
	// Folder holds a folder for each disk.
	Folder string `json:"folder"`
	// Device is the image's loop device.
	Device string `json:"device,omitempty"`
	// TotalBytes and FreeBytes are the pool's, 0 while it is not ready.
	TotalBytes int64 `json:"total_bytes"`
	FreeBytes  int64 `json:"free_bytes"`
	// HostTotalBytes and HostFreeBytes are those of the file system of the home.
	HostTotalBytes int64 `json:"host_total_bytes"`
	HostFreeBytes  int64 `json:"host_free_bytes"`
	// Why says why it is a plain folder, or has no limits.
	Why string `json:"why,omitempty"`
	// Fix is the one command that would give limits, where there is one.
	Fix string `json:"fix,omitempty"`
	// Problem says what is wrong with a pool that exists, Remedy what helps.
	Problem string `json:"problem,omitempty"`
	Remedy  string `json:"remedy,omitempty"`
}

// Disk is a sandbox's disk: made with start when it is not there.
type Disk struct {
	Path string `json:"path"`
	// Subvolume: it lies in a pool on btrfs.
	Subvolume bool `json:"subvolume,omitempty"`
	// LimitBytes holds for all that is written to it; 0: no limit.
	LimitBytes int64 `json:"limit_bytes,omitempty"`
	// Folders beneath it that are made as well, mode 0700.
	Folders []string `json:"folders,omitempty"`
}

// DiskList is the answer of the verb disks.
type DiskList struct {
	Version int         `json:"version"`
	Disks   []DiskUsage `json:"disks"`
}

// DiskUsage is one disk.
type DiskUsage struct {
	// Name of its folder.
	Name string `json:"name"`
	// Measured: Bytes is known. A plain folder would have to be walked.
	Measured bool `json:"measured"`
	// Bytes that it takes, data and metadata.
	Bytes int64 `json:"bytes"`
	// LimitBytes, 0: none.
	LimitBytes int64 `json:"limit_bytes"`
}

// Check is every fault of the request together, or nil.
func (s *PoolSpec) Check() error {
	faults := &faults{}
	faults.refuse(s.Version != Version, "version %d is not %d", s.Version, Version)
	faults.path("home", s.Home)
	faults.refuse(s.Choice != PoolAuto && s.Choice != PoolFolder && s.Choice != PoolBtrfs, "choice %q is none", s.Choice)
	faults.refuse(s.InitialBytes < 0 || s.StepBytes < 0 || s.MarginBytes < 0, "a size is negative")
	return faults.asError()
}

// Check is every fault of the request together, or nil.
func (d *Disk) Check() error {
	faults := &faults{}
	d.check(faults)
	return faults.asError()
}

func (d *Disk) check(faults *faults) {
	faults.path("disk.path", d.Path)
	faults.refuse(d.LimitBytes < 0, "disk.limit_bytes is negative")
	faults.refuse(d.LimitBytes > 0 && !d.Subvolume, "disk.limit_bytes needs disk.subvolume")
	for _, folder := range d.Folders {
		faults.refuse(folder != path.Clean(folder) || path.IsAbs(folder) || folder == ".." || len(folder) > 3 && folder[:3] == "../",
			"disk.folders %q is no clean relative path", folder)
	}
}
