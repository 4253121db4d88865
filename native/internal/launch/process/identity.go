// Package process finds, identifies and ends processes of the host.
package process

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// ErrGone says that there is certainly no such process.
var ErrGone = errors.New("no such process")

// Stat is what of /proc/<pid>/stat identifies a process and tells its state.
type Stat struct {
	// State is one letter: R, S, D, T, t, Z, X, I.
	State byte
	// StartTime in clock ticks since boot: field 22.
	StartTime uint64
}

// Dead says that the process has ended, though it may wait to be reaped.
func (s Stat) Dead() bool { return s.State == 'Z' || s.State == 'X' }

// ReadStat reads a process's state. ErrGone if there is none.
func ReadStat(pid int) (Stat, error) { return readStat("/proc/" + strconv.Itoa(pid) + "/stat") }

func readStat(file string) (Stat, error) {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ESRCH) {
		return Stat{}, ErrGone
	}
	if err != nil {
		return Stat{}, fmt.Errorf("reading the state of a process: %w", err)
	}
	return parseStat(string(data))
}

// parseStat begins after the last parenthesis: a process chooses its own name,
// and may put parentheses and blanks into it.
func parseStat(text string) (Stat, error) {
	end := strings.LastIndexByte(text, ')')
	if end < 0 {
		return Stat{}, fmt.Errorf("no name in process state %q", text)
	}
	fields := strings.Fields(text[end+1:])
	const state, startTime = 0, 19
	if len(fields) <= startTime {
		return Stat{}, fmt.Errorf("process state %q is too short", text)
	}
	started, err := strconv.ParseUint(fields[startTime], 10, 64)
	if err != nil {
		return Stat{}, fmt.Errorf("start time of a process: %w", err)
	}
	return Stat{State: fields[state][0], StartTime: started}, nil
}

// BootID is the id of this boot of the kernel.
func BootID() (string, error) {
	data, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", fmt.Errorf("reading the boot id: %w", err)
	}
	return strings.TrimSpace(string(data)), nil
}
