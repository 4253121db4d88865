package process

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"cortex.dev/native/internal/launch"
	"golang.org/x/sys/unix"
)

// RlimitLocks is the limit whose soft value is the mark. Linux has not used it
// since 2.4, but every process inherits it, over fork, exec, setsid and a change
// of parent; in oci, seccomp makes changing it a call without effect.
const RlimitLocks = 10

// Marked lists the living processes whose mark is of the same sandbox. It looks at each as soon as it has its
// pid: what forks and ends meanwhile is still ahead, under a higher one, unless the pids have just begun anew.
func Marked(mark uint64) ([]int, error) {
	var marked []int
	err := each(func(pid int) {
		if found, ok := markOf(pid); ok && launch.SameSandbox(found, mark) && !Ended(pid) {
			marked = append(marked, pid)
		}
	})
	return marked, err
}

// Lives says whether a process is there and not dead.
func Lives(pid int) bool { return !Ended(pid) }

// Ended says that a process has certainly ended. It looks behind a first thread
// that has: the others may go on for as long as they like.
func Ended(pid int) bool {
	stat, err := ReadStat(pid)
	return errors.Is(err, ErrGone) || (err == nil && stat.Dead() && !hasLivingThread(pid))
}

// markOf prefers prlimit, which is several times faster; /proc/<pid>/limits can
// be read of everybody's processes.
func markOf(pid int) (uint64, bool) {
	var limit unix.Rlimit
	if unix.Prlimit(pid, RlimitLocks, nil, &limit) == nil {
		return limit.Cur, limit.Cur != unix.RLIM_INFINITY
	}
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/limits")
	if err != nil {
		return 0, false
	}
	return parseLimits(data)
}

func parseLimits(data []byte) (uint64, bool) {
	const name = "Max file locks"
	_, after, found := bytes.Cut(data, []byte("\n"+name))
	if !found {
		return 0, false
	}
	fields := strings.Fields(string(after[:min(len(after), 80)]))
	if len(fields) == 0 {
		return 0, false
	}
	value, err := strconv.ParseUint(fields[0], 10, 64)
	return value, err == nil
}

// each visits every process that this one can see, few at a time as the kernel lists them.
func each(visit func(pid int)) error {
	proc, err := unix.Open("/proc", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("opening /proc: %w", err)
	}
	defer unix.Close(proc)
	var few [512]byte
	for {
		n, err := unix.Getdents(proc, few[:])
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return fmt.Errorf("reading /proc: %w", err)
		case n == 0:
			return nil
		}
		_, _, names := unix.ParseDirent(few[:n], -1, nil)
		for _, name := range names {
			if pid, err := strconv.Atoi(name); err == nil {
				visit(pid)
			}
		}
	}
}
