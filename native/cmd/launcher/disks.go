package main

import (
	"cortex.dev/native/internal/launch"
	"cortex.dev/native/internal/launch/pool"
)

func poolVerb(c call) (any, int, error) {
	var spec launch.PoolSpec
	if err := launch.Decode(c.stdin, &spec); err != nil {
		return nil, 1, err
	}
	if err := spec.Check(); err != nil {
		return nil, 1, err
	}
	answer, err := pool.Of(spec).Carry()
	return answer, 0, err
}

func disksVerb(c call) (any, int, error) {
	root, err := folder(c.arguments)
	if err != nil {
		return nil, 1, err
	}
	answer, err := pool.Disks(root)
	return answer, 0, err
}

// diskVerb makes a disk for who does not start a sandbox with it at once.
func diskVerb(c call) (any, int, error) {
	var disk launch.Disk
	if err := launch.Decode(c.stdin, &disk); err != nil {
		return nil, 1, err
	}
	if err := disk.Check(); err != nil {
		return nil, 1, err
	}
	if err := pool.MakeDisk(disk); err != nil {
		return nil, 1, err
	}
	return launch.DiskUsage{Name: disk.Path, LimitBytes: disk.LimitBytes}, 0, nil
}
