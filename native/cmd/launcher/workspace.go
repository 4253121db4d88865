package main

import (
	"bufio"
	"fmt"
	"os"

	"cortex.dev/native/internal/launch"
	"cortex.dev/native/internal/workspace"
)

// workspaceSpec is the request of the verb workspace.
type workspaceSpec struct {
	Version int `json:"version"`
	// Do is take, drop, changes, patch or apply.
	Do    string          `json:"doing"`
	Place workspace.Place `json:"place"`
	// Sandbox is who takes or drops.
	Sandbox string `json:"sandbox"`
	// Source is the folder to take.
	Source string `json:"source"`
	// Only names paths to compare.
	Only []string `json:"only"`
	// Patch is a new file that the patch is written to.
	Patch string             `json:"patch"`
	Apply workspace.Applying `json:"apply"`
}

// workspaceVerb takes [--rootless].
func workspaceVerb(c call) (any, int, error) {
	if done, status, err := inside(&c, "workspace"); done {
		return nil, status, err
	}
	var spec workspaceSpec
	if err := launch.Decode(c.stdin, &spec); err != nil {
		return nil, 1, err
	}
	if spec.Version != launch.Version {
		return nil, 1, launch.Fail(launch.InvalidArgument, nil, "version %d is not %d", spec.Version, launch.Version)
	}
	if err := spec.Place.Check(); err != nil {
		return nil, 1, err
	}
	switch spec.Do {
	case "take":
		return answered(workspace.Take(spec.Place, spec.Sandbox, spec.Source))
	case "drop":
		return answered(patched{Version: launch.Version}, workspace.Drop(spec.Place, spec.Sandbox))
	case "changes":
		return answered(workspace.Compare(spec.Place, spec.Only))
	case "patch":
		return answered(spec.patch())
	case "apply":
		return answered(workspace.Apply(spec.Place, spec.Apply))
	default:
		return nil, 1, launch.Fail(launch.InvalidArgument, nil, "%q is nothing to do with a workspace", spec.Do)
	}
}

func answered[T any](answer T, err error) (any, int, error) {
	if err != nil {
		return nil, 1, err
	}
	return answer, 0, nil
}

// patched is the answer of patch.
type patched struct {
	Version int   `json:"version"`
	Bytes   int64 `json:"bytes"`
}

func (s workspaceSpec) patch() (patched, error) {
	file, err := os.OpenFile(s.Patch, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return patched{}, fmt.Errorf("making the patch: %w", err)
	}
	defer file.Close()
	to := bufio.NewWriterSize(file, 1<<20)
	if err := workspace.Patch(s.Place, s.Only, to); err != nil {
		return patched{}, err
	}
	if err := to.Flush(); err != nil {
		return patched{}, fmt.Errorf("writing the patch: %w", err)
	}
	info, err := file.Stat()
	if err != nil {
		return patched{}, err
	}
	return patched{launch.Version, info.Size()}, nil
}
