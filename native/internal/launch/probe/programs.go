package probe

import (
	"context"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"cortex.dev/native/internal/launch"
	"golang.org/x/sys/unix"
)

// answerWithin bounds a runtime's --version; one that hangs is one that does not
// answer.
const answerWithin = 2 * time.Second

func program(facts *launch.Probed, name string) string {
	path, err := exec.LookPath(name)
	if err != nil {
		facts.Reasons[name] = name + " is missing (package uidmap)"
		return ""
	}
	return path
}

// findRuntimes asks all at once. tools is a folder that goes before PATH, or "".
func findRuntimes(tools string) []launch.ProbedRuntime {
	known := []struct {
		name  string
		judge func(*launch.ProbedRuntime)
	}{
		{"crun", believe}, {"runc", believe}, {"runsc", judgeGvisor}, {"kata-runtime", believe},
	}
	found := make([]launch.ProbedRuntime, len(known))
	var asked sync.WaitGroup
	for i, runtime := range known {
		asked.Go(func() { found[i] = best(runtime.name, places(tools, runtime.name), runtime.judge) })
	}
	asked.Wait()
	return slices.DeleteFunc(found, func(r launch.ProbedRuntime) bool { return r.Name == "" })
}

// places are where a program lies, the preferred first.
func places(tools, name string) []string {
	var found []string
	if tools != "" {
		if path := filepath.Join(tools, name); unix.Access(path, unix.X_OK) == nil {
			found = append(found, path)
		}
	}
	if path, err := exec.LookPath(name); err == nil && filepath.IsAbs(path) {
		found = append(found, path)
	}
	return found
}

// best is the first that can be used, else the first.
func best(name string, paths []string, judge func(*launch.ProbedRuntime)) launch.ProbedRuntime {
	var first launch.ProbedRuntime
	for _, path := range paths {
		runtime := launch.ProbedRuntime{Name: name, Path: path, RuntimeVersion: versionOf(path)}
		judge(&runtime)
		if runtime.Problem == "" {
			return runtime
		}
		if first.Name == "" {
			first = runtime
		}
	}
	return first
}

func believe(*launch.ProbedRuntime) {}

func versionOf(path string) string {
	ctx, cancel := context.WithTimeout(context.Background(), answerWithin)
	defer cancel()
	output, err := exec.CommandContext(ctx, path, "--version").Output()
	if err != nil {
		return ""
	}
	first, _, _ := strings.Cut(string(output), "\n")
	return strings.TrimSpace(first)
}
