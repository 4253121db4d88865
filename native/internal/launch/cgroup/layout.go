// Package cgroup makes, limits, reads and removes the control groups of a
// sandbox, on cgroup v1 and hybrid hosts (one group a hierarchy) and on v2.
package cgroup

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// Top is where control groups are on every distribution.
const Top = "/sys/fs/cgroup"

// Kind is how a host has mounted its control groups.
type Kind string

// The kinds.
const (
	V1     Kind = "v1"
	Hybrid Kind = "hybrid"
	V2     Kind = "v2"
	Absent Kind = "none"
)

// wanted are the controllers that a sandbox is limited and frozen by.
var wanted = []string{"memory", "pids", "cpu", "freezer"}

// witnessed are the controllers of Layout.Witnesses.
var witnessed = []string{"cpuset", "cpuacct"}

// Layout is the host's arrangement of control groups.
type Layout struct {
	Kind Kind
	// Top is the root of the v2 tree, or the folder of the v1 hierarchies.
	Top string
	// Hierarchies of v1 with what is wanted of their controllers, in the order
	// of wanted. Empty on v2.
	Hierarchies []Hierarchy
	// Others are the roots of all other hierarchies beside v1 ones, in which a
	// runtime may have made groups of the sandbox's name.
	Others []string
	// Witnesses are those of the others whose controllers a JVM looks for before it believes the limits of the
	// rest. A sandbox is shown a group there in which nobody is.
	Witnesses []Hierarchy
	// HasUnified says that v2 is mounted beneath a v1 host as well.
	HasUnified bool
}

// Hierarchy is one mounted v1 tree.
type Hierarchy struct {
	Root        string
	Controllers []string
}

// Has says whether the hierarchy has the controller.
func (h Hierarchy) Has(controller string) bool { return slices.Contains(h.Controllers, controller) }

// Find reads the layout of this host.
func Find() (Layout, error) {
	data, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return Layout{}, fmt.Errorf("reading the mounts: %w", err)
	}
	return parse(data), nil
}

// parse goes by the file system's type and, on v1, by its own options: the names
// of the folders are a convention only ("cpu,cpuacct").
func parse(mountinfo []byte) Layout {
	layout := Layout{Kind: Absent, Top: Top}
	for line := range bytes.Lines(mountinfo) {
		before, after, found := strings.Cut(string(line), " - ")
		place, filesystem := strings.Fields(before), strings.Fields(after)
		// Only mounts of a whole tree: a container shows parts of them.
		if !found || len(place) < 6 || len(filesystem) < 3 || place[3] != "/" {
			continue
		}
		switch filesystem[0] {
		case "cgroup2":
			if place[4] == Top {
				return Layout{Kind: V2, Top: Top}
			}
			layout.HasUnified = true
			layout.Others = append(layout.Others, place[4])
		case "cgroup":
			layout.add(place[4], strings.Split(filesystem[2], ","))
		}
	}
	switch {
	case len(layout.Hierarchies) == 0:
	case layout.HasUnified:
		layout.Kind = Hybrid
	default:
		layout.Kind = V1
	}
	slices.SortStableFunc(layout.Hierarchies, func(a, b Hierarchy) int {
		return slices.Index(wanted, a.Controllers[0]) - slices.Index(wanted, b.Controllers[0])
	})
	return layout
}

func (l *Layout) add(root string, options []string) {
	var controllers []string
	for _, controller := range wanted {
		if slices.Contains(options, controller) {
			controllers = append(controllers, controller)
		}
	}
	seen := slices.ContainsFunc(l.Hierarchies, func(h Hierarchy) bool { return slices.Equal(h.Controllers, controllers) })
	switch {
	case seen:
	case len(controllers) > 0:
		l.Hierarchies = append(l.Hierarchies, Hierarchy{root, controllers})
	default:
		l.Others = append(l.Others, root)
		if at := slices.IndexFunc(witnessed, func(c string) bool { return slices.Contains(options, c) }); at >= 0 {
			l.Witnesses = append(l.Witnesses, Hierarchy{root, witnessed[at : at+1]})
		}
	}
}

// Usable lists the controllers by which this process could limit a sandbox.
func (l Layout) Usable() []string {
	usable := []string{}
	if l.Kind == V2 {
		return l.usableV2()
	}
	for _, hierarchy := range l.Hierarchies {
		if unix.Access(hierarchy.Root, unix.W_OK) == nil {
			usable = append(usable, hierarchy.Controllers...)
		}
	}
	return usable
}

func (l Layout) usableV2() []string {
	usable := []string{}
	if unix.Access(l.Top, unix.W_OK) != nil {
		return usable
	}
	data, err := os.ReadFile(l.Top + "/cgroup.controllers")
	if err != nil {
		return usable
	}
	for _, controller := range strings.Fields(string(data)) {
		if slices.Contains(wanted, controller) {
			usable = append(usable, controller)
		}
	}
	return append(usable, "freezer")
}
