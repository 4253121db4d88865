package boot

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Disk returns bytes in use and in all of the file system that holds the path.
func Disk(path string) (used, total uint64) {
	var st unix.Statfs_t
	if err := unix.Statfs(path, &st); err != nil {
		return 0, 0
	}
	size := uint64(st.Bsize)
	return (st.Blocks - st.Bfree) * size, st.Blocks * size
}

// Load is the load average of the last minute.
func Load() float64 {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0
	}
	first, _, _ := strings.Cut(string(text), " ")
	load, err := strconv.ParseFloat(first, 64)
	if err != nil {
		return 0
	}
	return load
}

// Processes counts the processes that are visible, the neuron included.
func Processes() uint32 {
	proc, err := os.Open("/proc")
	if err != nil {
		return 0
	}
	defer proc.Close()
	names, err := proc.Readdirnames(-1)
	if err != nil {
		return 0
	}
	n := uint32(0)
	for _, name := range names {
		if name[0] >= '1' && name[0] <= '9' {
			n++
		}
	}
	return n
}

// Resident is the neuron's own resident memory, in bytes.
func Resident() uint64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	f := strings.Fields(string(text))
	if len(f) < 2 {
		return 0
	}
	pages, err := strconv.ParseUint(f[1], 10, 64)
	if err != nil {
		return 0
	}
	return pages * uint64(os.Getpagesize())
}
