// Package discover finds what sandboxes of one home have left or have running, by
// the names that are derived from their ids. It changes nothing.
package discover

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"cortex.dev/native/internal/launch"
	"cortex.dev/native/internal/launch/cgroup"
	"cortex.dev/native/internal/launch/process"
)

// ids is the form of a sandbox's id; what looks otherwise is nobody's of ours.
var ids = regexp.MustCompile(`^sb_[0-7][0-9a-hjkmnp-tv-z]{25}$`)

// Kinds of traces.
const (
	cgroups = "cgroup"
	mount   = "mount"
	running = "process"
)

// Look answers for one home. What cannot be looked at is an error: nothing seen
// must not be read as nothing there.
func Look(spec launch.DiscoverSpec) (launch.Discovered, error) {
	answer := launch.Discovered{Version: launch.Version, Traces: []launch.Trace{}}
	add := func(key, kind, name string) {
		trace := launch.Trace{Key: key, Kind: kind, Name: name}
		if ids.MatchString(key) && !slices.Contains(answer.Traces, trace) {
			answer.Traces = append(answer.Traces, trace)
		}
	}
	if err := groups(spec.CgroupParent, add); err != nil {
		return answer, err
	}
	if err := mounts(append([]string{spec.RunFolder}, spec.Folders...), add); err != nil {
		return answer, err
	}
	if err := processes(spec, add); err != nil {
		return answer, err
	}
	return answer, nil
}

func groups(parent string, add func(key, kind, name string)) error {
	if parent == "" {
		return nil
	}
	layout, err := cgroup.Find()
	if err != nil {
		return err
	}
	for _, group := range layout.Of(parent).Folders() {
		entries, err := os.ReadDir(group)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("looking at the control groups of the home: %w", err)
		}
		for _, entry := range entries {
			if entry.IsDir() {
				add(entry.Name(), cgroups, filepath.Join(group, entry.Name()))
			}
		}
	}
	return nil
}

func mounts(folders []string, add func(key, kind, name string)) error {
	text, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return fmt.Errorf("reading the mounts: %w", err)
	}
	for line := range bytes.Lines(text) {
		fields := strings.Fields(string(line))
		if len(fields) < 5 {
			continue
		}
		place := unescaped(fields[4])
		for _, folder := range folders {
			if key, ok := keyBeneath(folder, place); ok {
				add(key, mount, place)
			}
		}
	}
	return nil
}

// processes are found by their words where these name a file in the run folder,
// and by the mark of each suspect.
func processes(spec launch.DiscoverSpec, add func(key, kind, name string)) error {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return fmt.Errorf("listing the processes: %w", err)
	}
	for _, entry := range entries {
		if _, err := strconv.Atoi(entry.Name()); err != nil {
			continue
		}
		words, err := os.ReadFile("/proc/" + entry.Name() + "/cmdline")
		if err != nil {
			continue // it has ended, or is somebody's whom we may not ask
		}
		for word := range bytes.SplitSeq(words, []byte{0}) {
			if key, ok := keyBeneath(spec.RunFolder, string(word)); ok {
				add(key, running, entry.Name())
			}
		}
	}
	for _, suspect := range spec.Suspects {
		pids, err := process.Marked(suspect.Mark)
		if err != nil {
			return err
		}
		for _, pid := range pids {
			add(suspect.Key, running, strconv.Itoa(pid))
		}
	}
	return nil
}

// keyBeneath is the first part of a path beneath the folder.
func keyBeneath(folder, path string) (string, bool) {
	rest, beneath := strings.CutPrefix(path, strings.TrimSuffix(folder, "/")+"/")
	if folder == "" || !beneath {
		return "", false
	}
	key, _, _ := strings.Cut(rest, "/")
	return key, true
}

// unescaped reads the octal escapes of mountinfo.
func unescaped(text string) string {
	var plain strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+3 < len(text) {
			if value, err := strconv.ParseUint(text[i+1:i+4], 8, 8); err == nil {
				plain.WriteByte(byte(value))
				i += 3
				continue
			}
		}
		plain.WriteByte(text[i])
	}
	return plain.String()
}
