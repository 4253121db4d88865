// Command bare is the bench's yardstick: it starts one container with the bundle
// that Cortex uses (mounts, user namespace, limits, seccomp), by the shortest way
// that starts no shell, with a program of the caller's as init and no neuron. It
// is built for the bench alone and is no part of the product.
//
//	bare run SPEC ID -- PROGRAM ARG…   starts it; its output is this one's
//	bare remove SPEC ID                removes what run made
//
// SPEC is a request to the launcher that a recorder has kept (see record.go), and
// ID takes the place of its sandbox's everywhere.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"cortex.dev/native/internal/launch"
	"cortex.dev/native/internal/launch/stop"
	"cortex.dev/native/internal/launch/tree"
)

// One thread goes into namespaces and control groups: main's.
func init() { runtime.LockOSThread() }

func main() {
	if filepath.Base(os.Args[0]) == "launcher" {
		exit(record())
	}
	words := os.Args[1:]
	if len(words) >= 5 && words[0] == "run" && words[3] == "--" {
		exit(run(words[1], words[2], words[4:]))
	}
	if len(words) == 3 && words[0] == "remove" {
		exit(remove(words[1], words[2]))
	}
	fmt.Fprintln(os.Stderr, "usage: bare run SPEC ID -- PROGRAM ARG…\n       bare remove SPEC ID")
	os.Exit(2)
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bare:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

func run(file, id string, argv []string) error {
	spec, err := read(file, id)
	if err != nil {
		return err
	}
	return (&container{spec: spec, argv: slices.Clone(argv)}).start()
}

// remove is not timed, and does it as Cortex does.
func remove(file, id string) error {
	spec, err := read(file, id)
	if err != nil {
		return err
	}
	request := launch.StopSpec{Version: launch.Version, ID: spec.ID, Runtime: spec.Runtime, Bundle: spec.Bundle}
	if spec.Cgroup != nil {
		request.CgroupName = spec.Cgroup.Name
	}
	if spec.Listen != nil {
		request.Shared = spec.Listen.Shared
	}
	stopped, err := stop.Stop(request)
	if err != nil {
		return err
	}
	if len(stopped.Remaining) > 0 {
		return fmt.Errorf("still there: %v", stopped.Remaining)
	}
	if spec.Disk != nil {
		if _, err := tree.Wipe(spec.Disk.Path); err != nil {
			return fmt.Errorf("removing the disk: %w", err)
		}
	}
	return os.RemoveAll(filepath.Dir(spec.Bundle))
}
