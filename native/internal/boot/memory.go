package boot

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"sync"
)

// unlimited is what cgroup v1 says where there is no limit, rounded down to pages.
const unlimited = 1 << 62

// Memory reads the sandbox's memory use and limit: from its control group, version 2 or 1. Where none is visible, the
// use is the sum of its processes; a plain neuron sees everybody's processes, and reads the machine's use.
type Memory struct {
	files memoryFiles
	plain bool

	mu     sync.Mutex
	killed uint64 // deaths that were told of
}

type memoryFiles struct {
	used, limit, stat, deaths string
	inactive                  string // key in stat
}

func findMemory(plain, ownKernel bool) *Memory {
	m := &Memory{plain: plain}
	places := candidates()
	if ownKernel {
		places = []memoryFiles{version2(groupOfSessions)}
	}
	for _, files := range places {
		if _, err := os.Stat(files.used); err == nil {
			m.files = files
			break
		}
	}
	m.killed = m.deaths()
	return m
}

func version2(dir string) memoryFiles {
	return memoryFiles{dir + "/memory.current", dir + "/memory.max", dir + "/memory.stat", dir + "/memory.events", "inactive_file"}
}

// candidates are the places of this process's group, seen from the host's root or from its own.
func candidates() []memoryFiles {
	var found []memoryFiles
	text, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(text)) {
		f := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(f) != 3 {
			continue
		}
		for _, path := range []string{f[2], ""} {
			switch {
			case f[1] == "memory":
				dir := "/sys/fs/cgroup/memory" + strings.TrimSuffix(path, "/")
				found = append(found, memoryFiles{
					dir + "/memory.usage_in_bytes", dir + "/memory.limit_in_bytes", dir + "/memory.stat",
					dir + "/memory.oom_control", "total_inactive_file",
				})
			case f[0] == "0":
				found = append(found, version2("/sys/fs/cgroup"+strings.TrimSuffix(path, "/")))
			}
		}
	}
	return found
}

// Read returns bytes in use, without file pages that the kernel can drop, and the limit, 0 where
// none is known.
func (m *Memory) Read() (used, limit uint64) {
	if m.files.used == "" {
		if m.plain {
			return systemUsed(), 0
		}
		return processesUsed("/proc"), 0
	}
	used = number(m.files.used)
	if inactive := valueOf(m.files.stat, m.files.inactive); inactive < used {
		used -= inactive
	}
	if limit = number(m.files.limit); limit >= unlimited {
		limit = 0
	}
	return used, limit
}

// Killed returns true if the limit has killed something since the last call that returned true.
func (m *Memory) Killed() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.deaths()
	if now <= m.killed {
		return false
	}
	m.killed = now
	return true
}

func (m *Memory) deaths() uint64 {
	if m.files.deaths == "" {
		return 0
	}
	return valueOf(m.files.deaths, "oom_kill")
}

func systemUsed() uint64 {
	total, available := valueOf("/proc/meminfo", "MemTotal:"), valueOf("/proc/meminfo", "MemAvailable:")
	if available > total {
		return 0
	}
	return (total - available) << 10
}

// processesUsed is what each process has for itself alone: without shared and file pages, which would be counted once
// for every process that maps them.
func processesUsed(proc string) uint64 {
	folder, err := os.Open(proc)
	if err != nil {
		return 0
	}
	defer folder.Close()
	names, err := folder.Readdirnames(-1)
	if err != nil {
		return 0
	}
	pages := uint64(0)
	for _, name := range names {
		if name[0] < '1' || name[0] > '9' {
			continue
		}
		text, err := os.ReadFile(proc + "/" + name + "/statm")
		if err != nil {
			continue // it has ended
		}
		f := bytes.Fields(text)
		if len(f) < 3 {
			continue
		}
		resident, _ := strconv.ParseUint(string(f[1]), 10, 64)
		shared, _ := strconv.ParseUint(string(f[2]), 10, 64)
		if resident > shared {
			pages += resident - shared
		}
	}
	return pages * uint64(os.Getpagesize())
}

func number(path string) uint64 {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	n, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// valueOf finds the line "key number".
func valueOf(path, key string) uint64 {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	for line := range bytes.Lines(text) {
		if f := bytes.Fields(line); len(f) >= 2 && string(f[0]) == key {
			if n, err := strconv.ParseUint(string(f[1]), 10, 64); err == nil {
				return n
			}
		}
	}
	return 0
}
