package start

import (
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// setAffinity gives this thread the sandbox's affinity, which its children
// inherit.
func (a *attempt) setAffinity() error {
	if a.group == nil || a.spec.Cgroup.Cpus == 0 {
		return nil
	}
	var allowed unix.CPUSet
	if err := unix.SchedGetaffinity(0, &allowed); err != nil {
		return fmt.Errorf("reading the affinity: %w", err)
	}
	if a.spec.Cgroup.Cpus >= allowed.Count() {
		return nil
	}
	a.cpus = choose(a.spec.ID, a.spec.Cgroup.Cpus, &allowed)
	if err := unix.SchedSetaffinity(0, a.cpus); err != nil {
		return fmt.Errorf("setting the affinity: %w", err)
	}
	return a.group.Confine(*a.cpus)
}

// choose takes so many of the allowed processors, from one that depends on the
// id, so that small sandboxes do not all share the first.
func choose(id string, cpus int, allowed *unix.CPUSet) *unix.CPUSet {
	var chosen unix.CPUSet
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(id))
	const most = len(chosen) * 64
	for at := int(hash.Sum32()) % most; chosen.Count() < cpus; at = (at + 1) % most {
		if allowed.IsSet(at) {
			chosen.Set(at)
		}
	}
	return &chosen
}

// keepAffinity gives it to a first process that has lost it: runc from 1.2 on
// gives every container all processors of its cpuset.
func (a *attempt) keepAffinity(pid int) error {
	if a.cpus == nil {
		return nil
	}
	for again := true; again; {
		again = false
		threads, err := os.ReadDir(filepath.Join("/proc", strconv.Itoa(pid), "task"))
		if err != nil {
			return fmt.Errorf("listing the threads of the first process: %w", err)
		}
		for _, thread := range threads {
			id, err := strconv.Atoi(thread.Name())
			if err != nil {
				continue
			}
			var has unix.CPUSet
			if unix.SchedGetaffinity(id, &has) != nil || has == *a.cpus {
				continue
			}
			// A thread that a thread made meanwhile inherited the old one.
			again = true
			if err := unix.SchedSetaffinity(id, a.cpus); err != nil && !errors.Is(err, unix.ESRCH) {
				return fmt.Errorf("setting the affinity of the first process: %w", err)
			}
		}
	}
	return nil
}
