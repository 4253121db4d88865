package workspace

import (
	"path/filepath"

	"cortex.dev/native/internal/launch"
)

// Place says where a sandbox's copy lies on the host.
type Place struct {
	// Disk is the sandbox's own folder.
	Disk string `json:"disk"`
	// Folder is the copy, relative to the disk, such as
	// "upper/home/agent/workspace".
	Folder string `json:"folder"`
	// Base holds what the copy was, relative to the disk.
	Base string `json:"base"`
	// Owned is how many last parts of Folder belong to UID and GID when they are
	// made; the others to root. 0: everything belongs to the caller.
	Owned int `json:"owned"`
	UID   int `json:"uid"`
	GID   int `json:"gid"`
	// Opaque is the extended attribute by which the copy hides what an image has
	// at its place, "" where there is no image.
	Opaque string `json:"opaque"`
}

func (p Place) folder() string { return filepath.Join(p.Disk, p.Folder) }

func (p Place) base() string { return filepath.Join(p.Disk, p.Base) }

// Check refuses a place that is none.
func (p Place) Check() error {
	if !filepath.IsAbs(p.Disk) || !filepath.IsLocal(p.Folder) || !filepath.IsLocal(p.Base) {
		return launch.Fail(launch.InvalidArgument, nil, "the workspace's place is none: %+v", p)
	}
	return nil
}
