package cgroup

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"cortex.dev/native/internal/launch"
	"golang.org/x/sys/unix"
)

// Group is one sandbox's groups, one a hierarchy.
type Group struct {
	layout Layout
	name   string
}

// Of names the groups of a sandbox, which may exist or not.
func (l Layout) Of(name string) Group { return Group{l, name} }

// dirs lists the folders, with their hierarchy; on v2 the one.
func (g Group) dirs() []Hierarchy {
	if g.layout.Kind == V2 {
		return []Hierarchy{{filepath.Join(g.layout.Top, g.name), nil}}
	}
	dirs := make([]Hierarchy, 0, len(g.layout.Hierarchies))
	for _, hierarchy := range g.layout.Hierarchies {
		dirs = append(dirs, Hierarchy{filepath.Join(hierarchy.Root, g.name), hierarchy.Controllers})
	}
	return dirs
}

// all lists the folders, those included that only a runtime makes.
func (g Group) all() []string {
	var all []string
	for _, dir := range g.dirs() {
		all = append(all, dir.Root)
	}
	for _, root := range g.layout.Others {
		all = append(all, filepath.Join(root, g.name))
	}
	return all
}

// Folders lists every folder that the group may have.
func (g Group) Folders() []string { return g.all() }

// Paths lists the folders for the answer.
func (g Group) Paths() []launch.CgroupPath {
	var paths []launch.CgroupPath
	for _, dir := range g.dirs() {
		if g.layout.Kind == V2 {
			paths = append(paths, launch.CgroupPath{Path: dir.Root})
		}
		for _, controller := range dir.Controllers {
			paths = append(paths, launch.CgroupPath{Controller: controller, Path: dir.Root})
		}
	}
	return paths
}

// Shown lists the folders that the sandbox sees.
func (g Group) Shown() []launch.CgroupPath {
	shown := g.Paths()
	for _, witness := range g.layout.Witnesses {
		shown = append(shown, launch.CgroupPath{Controller: witness.Controllers[0], Path: filepath.Join(witness.Root, g.name)})
	}
	return shown
}

// CheckFree refuses groups that have processes: a group's name is a sandbox's
// alone, and this one runs already.
func (g Group) CheckFree() error {
	pids, err := g.Members()
	if err == nil && len(pids) > 0 {
		return launch.Fail(launch.AlreadyExists, nil, "the control group %s has processes in it", g.name).
			WithRemedy("stop the sandbox first")
	}
	return err
}

// Make makes the groups and writes the limits. Empty groups of an earlier start
// are taken over.
func (g Group) Make(limits launch.Cgroup) error {
	if g.layout.Kind == Absent {
		return launch.Fail(launch.NotReady, nil, "there are no control groups on this host").
			WithRemedy("start without limits, or mount cgroup2 at " + Top)
	}
	if err := g.missing(limits); err != nil {
		return err
	}
	for _, dir := range g.dirs() {
		if err := g.makeDir(dir.Root); err != nil {
			return err
		}
	}
	for _, witness := range g.layout.Witnesses {
		if err := g.makeDir(filepath.Join(witness.Root, g.name)); err != nil {
			return err
		}
	}
	return g.write(limits)
}

// missing refuses a limit for which there is no controller: a limit that is not
// held would be a promise broken silently.
func (g Group) missing(limits launch.Cgroup) error {
	usable := g.layout.Usable()
	for controller, asked := range map[string]bool{
		"memory": limits.MemoryBytes > 0,
		"pids":   limits.Pids > 0,
		"cpu":    limits.CPUQuotaMicros > 0,
	} {
		if asked && !contains(usable, controller) {
			return launch.Fail(launch.NotReady, nil, "the controller %s cannot be used by user %d on this host (cgroup %s)",
				controller, os.Geteuid(), g.layout.Kind).
				WithRemedy("run as root, or without that limit")
		}
	}
	return nil
}

func contains(list []string, wanted string) bool {
	for _, each := range list {
		if each == wanted {
			return true
		}
	}
	return false
}

// makeDir makes the home's group and the sandbox's. Another launcher may remove
// the empty home's group in between: then once more.
func (g Group) makeDir(dir string) error {
	for attempt := 0; ; attempt++ {
		err := g.makeParent(filepath.Dir(dir))
		if err == nil {
			err = os.Mkdir(dir, 0o755)
		}
		switch {
		case err == nil:
			return nil
		case errors.Is(err, fs.ErrExist):
			return nil
		case errors.Is(err, fs.ErrNotExist) && attempt < 5:
		default:
			return fmt.Errorf("making the control group %s: %w", dir, err)
		}
	}
}

func (g Group) makeParent(parent string) error {
	err := os.Mkdir(parent, 0o755)
	if g.layout.Kind != V2 || (err != nil && !errors.Is(err, fs.ErrExist)) {
		if errors.Is(err, fs.ErrExist) {
			return nil
		}
		return err
	}
	return errors.Join(g.enable(filepath.Dir(parent)), g.enable(parent))
}

// enable hands the controllers on to a v2 folder's children.
func (g Group) enable(dir string) error {
	file := filepath.Join(dir, "cgroup.subtree_control")
	enabled, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	available, err := os.ReadFile(filepath.Join(dir, "cgroup.controllers"))
	if err != nil {
		return err
	}
	for _, controller := range []string{"memory", "pids", "cpu", "cpuset"} {
		if contains(strings.Fields(string(available)), controller) && !contains(strings.Fields(string(enabled)), controller) {
			if err := os.WriteFile(file, []byte("+"+controller), 0); err != nil {
				return fmt.Errorf("enabling %s in %s: %w", controller, dir, err)
			}
		}
	}
	return nil
}

// Exists says whether any of the groups is there.
func (g Group) Exists() bool {
	for _, dir := range g.all() {
		if _, err := os.Lstat(dir); err == nil {
			return true
		}
	}
	return false
}

// Members lists the processes in any of the groups.
func (g Group) Members() ([]int, error) {
	seen := map[int]bool{}
	var all []int
	for _, dir := range g.dirs() {
		pids, err := members(dir.Root)
		if err != nil {
			return nil, err
		}
		for _, pid := range pids {
			if !seen[pid] {
				seen[pid] = true
				all = append(all, pid)
			}
		}
	}
	return all, nil
}

// members also looks below, where a sandbox with rights over its own group may
// have made others.
func members(dir string) ([]int, error) {
	var pids []int
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || !entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(path, "cgroup.procs"))
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ENODEV) {
			return nil
		}
		for field := range bytes.FieldsSeq(data) {
			if pid, err := strconv.Atoi(string(field)); err == nil && pid > 0 {
				pids = append(pids, pid)
			}
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("listing the processes of %s: %w", dir, err)
	}
	return pids, nil
}
