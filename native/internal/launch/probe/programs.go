package probe

import (
	"context"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"cortex.dev/native/internal/launch"
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

// findRuntimes asks all at once.
func findRuntimes() []launch.ProbedRuntime {
	known := []string{"crun", "runc", "runsc", "kata-runtime"}
	found := make([]launch.ProbedRuntime, len(known))
	var asked sync.WaitGroup
	for i, name := range known {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		asked.Go(func() {
			found[i] = launch.ProbedRuntime{Name: name, Path: path, RuntimeVersion: versionOf(path)}
		})
	}
	asked.Wait()
	return slices.DeleteFunc(found, func(r launch.ProbedRuntime) bool { return r.Name == "" })
}

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
