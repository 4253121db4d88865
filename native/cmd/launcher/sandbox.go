package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"cortex.dev/native/internal/launch"
	"cortex.dev/native/internal/launch/checkpoint"
	"cortex.dev/native/internal/launch/discover"
	"cortex.dev/native/internal/launch/observe"
	"cortex.dev/native/internal/launch/pause"
	"cortex.dev/native/internal/launch/start"
	"cortex.dev/native/internal/launch/stop"
	"cortex.dev/native/internal/launch/userns"
)

// startVerb takes [--waiting]: started ahead, it is given its request when a sandbox is to be started, and ends without a
// word when whoever was to send it is gone. It has made nothing until then.
func startVerb(c call) (any, int, error) {
	if len(c.arguments) == 1 && c.arguments[0] == "--waiting" {
		request := bufio.NewReader(c.stdin)
		if _, err := request.Peek(1); err != nil {
			return nil, 0, nil
		}
		c.began, c.stdin = time.Now(), request
	}
	clock := start.NewClock(c.began)
	var spec launch.Spec
	if err := launch.Decode(c.stdin, &spec); err != nil {
		return nil, 1, err
	}
	if err := spec.Check(); err != nil {
		return nil, 1, err
	}
	if spec.Rootless != nil && !c.staged {
		return again(c, *spec.Rootless, "start", spec)
	}
	answer, err := start.Start(spec, clock)
	return answer, 0, err
}

func stopVerb(c call) (any, int, error) {
	var spec launch.StopSpec
	if err := launch.Decode(c.stdin, &spec); err != nil {
		return nil, 1, err
	}
	if err := spec.Check(); err != nil {
		return nil, 1, err
	}
	if spec.Rootless != nil && !c.staged {
		return stopRootless(c, spec)
	}
	answer, err := stop.Stop(spec)
	return answer, statusOf(answer.Remaining), err
}

// stopRootless ends the processes from outside, where the user, who owns the
// sandbox's namespaces, has power over them all; the files are its root's.
func stopRootless(c call, spec launch.StopSpec) (any, int, error) {
	ended, err := stop.End(spec)
	if err != nil || len(ended.Remaining) > 0 {
		return ended, 1, err
	}
	var output bytes.Buffer
	outer := c.stdout
	c.stdout = &output
	_, status, err := again(c, *spec.Rootless, "stop", spec)
	if err != nil {
		return nil, 1, err
	}
	var answer launch.Stopped
	if json.Unmarshal(output.Bytes(), &answer) != nil || answer.Version == 0 {
		// A failure inside: told as it is.
		_, err := outer.Write(output.Bytes())
		return nil, 1, err
	}
	answer.Killed += ended.Killed
	return answer, status, nil
}

// again runs a verb inside a user namespace; that process gives the answer.
func again(c call, mapping launch.Mapping, verb string, record any) (any, int, error) {
	if os.Geteuid() == 0 {
		return nil, 1, launch.Fail(launch.InvalidArgument, nil, "rootless is for ordinary users, this is root")
	}
	text, err := json.Marshal(record)
	if err != nil {
		return nil, 1, fmt.Errorf("handing the request on: %w", err)
	}
	status, err := userns.Run(mapping, []string{verb}, bytes.NewReader(text), c.stdout)
	return nil, status, err
}

func discoverVerb(c call) (any, int, error) {
	var spec launch.DiscoverSpec
	if err := launch.Decode(c.stdin, &spec); err != nil {
		return nil, 1, err
	}
	answer, err := discover.Look(spec)
	return answer, 0, err
}

func pauseVerb(c call) (any, int, error) { return changeVerb(c, pause.Pause) }

func resumeVerb(c call) (any, int, error) { return changeVerb(c, pause.Resume) }

func changeVerb(c call, change func(launch.PauseSpec) (launch.Changed, error)) (any, int, error) {
	var spec launch.PauseSpec
	if err := launch.Decode(c.stdin, &spec); err != nil {
		return nil, 1, err
	}
	if err := spec.Check(); err != nil {
		return nil, 1, err
	}
	answer, err := change(spec)
	return answer, 0, err
}

func checkpointVerb(c call) (any, int, error) {
	var spec launch.CheckpointSpec
	if err := launch.Decode(c.stdin, &spec); err != nil {
		return nil, 1, err
	}
	if err := spec.Check(); err != nil {
		return nil, 1, err
	}
	answer, err := checkpoint.Take(spec)
	return answer, 0, err
}

func observeVerb(c call) (any, int, error) {
	var spec launch.ObserveSpec
	if err := launch.Decode(c.stdin, &spec); err != nil {
		return nil, 1, err
	}
	answer, err := observe.All(spec)
	return answer, 0, err
}

func statusOf(remaining []launch.Remainder) int {
	if len(remaining) > 0 {
		return 1
	}
	return 0
}
