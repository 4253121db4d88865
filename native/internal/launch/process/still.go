package process

import (
	"os"
	"strconv"
)

// Identity is one process of this boot.
type Identity struct {
	Pid       int
	StartTime uint64
}

// StandsStill says that no thread of a process runs or can run: each is stopped,
// or has ended. A process that is gone stands still.
func StandsStill(pid int) bool {
	return !anyThread(pid, func(stat Stat) bool { return stat.State != 'T' && stat.State != 't' && !stat.Dead() })
}

func hasLivingThread(pid int) bool {
	return anyThread(pid, func(stat Stat) bool { return !stat.Dead() })
}

func anyThread(pid int, holds func(Stat) bool) bool {
	folder := "/proc/" + strconv.Itoa(pid) + "/task/"
	threads, err := os.ReadDir(folder)
	if err != nil {
		return false
	}
	for _, thread := range threads {
		if stat, err := readStat(folder + thread.Name() + "/stat"); err == nil && holds(stat) {
			return true
		}
	}
	return false
}
