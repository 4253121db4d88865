package cgroup

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"cortex.dev/native/internal/launch"
)

// Counters reads what the kernel counted. What cannot be read is 0.
func (g Group) Counters() launch.Counters {
	var counters launch.Counters
	for _, dir := range g.dirs() {
		switch {
		case g.layout.Kind == V2:
			counters.OomKills = field(dir.Root, "memory.events", "oom_kill")
			counters.MemoryPeakBytes = number(dir.Root, "memory.peak")
			counters.PidsRefused = field(dir.Root, "pids.events", "max")
		case dir.Has("memory"):
			counters.OomKills = field(dir.Root, "memory.oom_control", "oom_kill")
			counters.MemoryPeakBytes = number(dir.Root, "memory.max_usage_in_bytes")
		case dir.Has("pids"):
			counters.PidsRefused = field(dir.Root, "pids.events", "max")
		}
	}
	return counters
}

func number(dir, file string) int64 {
	data, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil {
		return 0
	}
	value, _ := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64)
	return value
}

func field(dir, file, name string) int64 {
	data, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(data)) {
		if key, value, found := strings.Cut(strings.TrimSpace(line), " "); found && key == name {
			number, _ := strconv.ParseInt(value, 10, 64)
			return number
		}
	}
	return 0
}
