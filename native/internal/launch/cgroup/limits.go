package cgroup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"cortex.dev/native/internal/launch"
)

const (
	defaultPeriod = 100_000
	defaultShares = 1024
)

// setting is one file of a group and what is written to it.
type setting struct {
	controller, file, value string
	// optional: kernels without it (swap accounting switched off) are right too.
	optional bool
}

func (g Group) write(limits launch.Cgroup) error {
	settings := v1Settings(limits)
	if g.layout.Kind == V2 {
		settings = v2Settings(limits)
	}
	for _, dir := range g.dirs() {
		for _, setting := range settings {
			if g.layout.Kind != V2 && !dir.Has(setting.controller) {
				continue
			}
			if err := setting.write(dir.Root); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s setting) write(dir string) error {
	path := filepath.Join(dir, s.file)
	err := writeExisting(path, s.value)
	if s.optional && errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("writing %s to %s: %w", s.value, path, err)
	}
	return nil
}

// writeExisting never makes a file: in a folder that is no control group it
// would seem to have worked.
func writeExisting(path, value string) error {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = file.WriteString(value)
	return errors.Join(err, file.Close())
}

func v1Settings(limits launch.Cgroup) []setting {
	var settings []setting
	if limits.MemoryBytes > 0 {
		bytes := strconv.FormatInt(limits.MemoryBytes, 10)
		settings = append(settings,
			setting{"memory", "memory.limit_in_bytes", bytes, false},
			// Memory and swap together: no swap beyond the limit.
			setting{"memory", "memory.memsw.limit_in_bytes", bytes, true})
	}
	if limits.Pids > 0 {
		settings = append(settings, setting{"pids", "pids.max", strconv.FormatInt(limits.Pids, 10), false})
	}
	if limits.CPUQuotaMicros > 0 {
		settings = append(settings,
			setting{"cpu", "cpu.cfs_period_us", strconv.FormatInt(period(limits), 10), false},
			setting{"cpu", "cpu.cfs_quota_us", strconv.FormatInt(limits.CPUQuotaMicros, 10), false})
	}
	if limits.CPUShares > 0 && limits.CPUShares != defaultShares {
		settings = append(settings, setting{"cpu", "cpu.shares", strconv.FormatInt(limits.CPUShares, 10), false})
	}
	return settings
}

func v2Settings(limits launch.Cgroup) []setting {
	var settings []setting
	if limits.MemoryBytes > 0 {
		settings = append(settings,
			setting{"memory", "memory.max", strconv.FormatInt(limits.MemoryBytes, 10), false},
			setting{"memory", "memory.swap.max", "0", true})
	}
	if limits.Pids > 0 {
		settings = append(settings, setting{"pids", "pids.max", strconv.FormatInt(limits.Pids, 10), false})
	}
	if limits.CPUQuotaMicros > 0 {
		settings = append(settings, setting{"cpu", "cpu.max", fmt.Sprintf("%d %d", limits.CPUQuotaMicros, period(limits)), false})
	}
	if limits.CPUShares > 0 && limits.CPUShares != defaultShares {
		settings = append(settings, setting{"cpu", "cpu.weight", strconv.FormatInt(weight(limits.CPUShares), 10), true})
	}
	return settings
}

func period(limits launch.Cgroup) int64 {
	if limits.CPUPeriodMicros > 0 {
		return limits.CPUPeriodMicros
	}
	return defaultPeriod
}

// weight maps 1,024 shares, everybody's default on v1, to 100, that of v2, and
// keeps proportions; the kernel takes 1 to 10,000.
func weight(shares int64) int64 {
	return min(max((shares*100+defaultShares/2)/defaultShares, 1), 10_000)
}
