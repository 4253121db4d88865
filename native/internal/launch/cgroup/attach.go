package cgroup

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Attach makes children that the calling thread starts with attributes be born
// in the groups. The caller has locked its goroutine to the thread. The returned
// function gives up what it holds, and moves the thread back out.
//
// On v2 the child is cloned into the group. v1 has no such clone; there the
// thread, and only the thread, moves itself: "0" into tasks. For one thread
// that moves itself the kernel (5.19 and newer) takes no lock against forks of
// all processes, whereas a pid in cgroup.procs waits for a grace period of RCU,
// 5 to 17 ms. The rest of the launcher stays outside.
func (g Group) Attach(attributes *syscall.SysProcAttr) (func() error, error) {
	if g.layout.Kind == V2 {
		dir, err := os.Open(g.dirs()[0].Root)
		if err != nil {
			return nil, fmt.Errorf("opening the control group: %w", err)
		}
		attributes.UseCgroupFD, attributes.CgroupFD = true, int(dir.Fd())
		return dir.Close, nil
	}
	leave := func() error {
		for _, hierarchy := range g.layout.Hierarchies {
			if err := moveSelf(hierarchy.Root); err != nil {
				return err
			}
		}
		return nil
	}
	for _, dir := range g.dirs() {
		if err := moveSelf(dir.Root); err != nil {
			_ = leave()
			return nil, err
		}
	}
	return leave, nil
}

func moveSelf(dir string) error {
	fd, err := unix.Open(filepath.Join(dir, "tasks"), unix.O_WRONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("entering the control group %s: %w", dir, err)
	}
	defer unix.Close(fd)
	// A bare write: a write by the os package may happen on another thread's turn
	// of the scheduler only in theory, but "0" means whoever writes.
	if _, err := unix.Write(fd, []byte("0")); err != nil {
		return fmt.Errorf("entering the control group %s: %w", dir, err)
	}
	return nil
}

// Confine keeps the group to those processors, where a v2 group can: entering a group of another
// cpuset gives a process that cpuset's processors, whatever its affinity was. Where there is no such
// controller, and on v1, the affinity of whoever starts the first process stays.
func (g Group) Confine(cpus unix.CPUSet) error {
	if g.layout.Kind != V2 {
		return nil
	}
	var list []string
	for cpu := range len(cpus) * 64 {
		if cpus.IsSet(cpu) {
			list = append(list, strconv.Itoa(cpu))
		}
	}
	return setting{"cpuset", "cpuset.cpus", strings.Join(list, ","), true}.write(g.dirs()[0].Root)
}
