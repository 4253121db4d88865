// Package checkpoint saves the memory of a sandbox whose neuron is quiet.
package checkpoint

import (
	"errors"
	"fmt"
	"os"
	"time"

	"cortex.dev/native/internal/launch"
	"cortex.dev/native/internal/launch/listen"
	"cortex.dev/native/internal/launch/process"
	"cortex.dev/native/internal/launch/runtime"
)

// servesWithin is ten times what a neuron takes to open its channel again.
const servesWithin = 10 * time.Second

// Take carries out a checked specification. The channel is open again afterwards
// if that is asked for, and when the checkpoint failed.
func Take(spec launch.CheckpointSpec) (launch.Checkpointed, error) {
	began := time.Now()
	answer := launch.Checkpointed{Version: launch.Version}
	program, err := runtime.New(spec.Runtime)
	if err != nil {
		return answer, err
	}
	able, can := program.(runtime.Checkpointing)
	if !can {
		return answer, launch.Fail(launch.Unsupported, nil, "%s takes no checkpoints", spec.Runtime.Flavour).
			WithRemedy("use a sandbox of runsc")
	}
	if err := os.MkdirAll(spec.Image, 0o700); err != nil {
		return answer, fmt.Errorf("making the folder of the checkpoint: %w", err)
	}
	failed := able.Checkpoint(spec.ID, spec.Bundle, spec.Image)
	answer.SavedMicros = time.Since(began).Microseconds()
	if failed != nil || spec.Reopen {
		var again error
		answer.Socket, again = reopen(spec)
		failed = errors.Join(failed, again)
	}
	answer.TotalMicros = time.Since(began).Microseconds()
	return answer, failed
}

func reopen(spec launch.CheckpointSpec) (*launch.SocketFile, error) {
	uid, gid := spec.Idmap.RootIDs(os.Geteuid(), os.Getegid())
	shared, err := listen.Again(spec.Listen, uid, gid)
	if err != nil {
		return nil, err
	}
	if err := shared.Tell(listen.Resumed); err != nil {
		return nil, err
	}
	file, err := shared.Bound(func() bool { return process.Lives(spec.Pid) }, time.Now().Add(servesWithin))
	return &file, err
}
