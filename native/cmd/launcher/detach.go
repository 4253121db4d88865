package main

import (
	"fmt"

	"cortex.dev/native/internal/launch"
	"cortex.dev/native/internal/launch/detach"
	"cortex.dev/native/internal/turns"
)

// detachVerb takes [--log FILE] [--prompt] -- CMD …; its answer is the pid alone, for shells.
func detachVerb(c call) (any, int, error) {
	log, rest := "", c.arguments
	if len(rest) >= 2 && rest[0] == "--log" {
		log, rest = rest[1], rest[2:]
	}
	prompt := len(rest) > 0 && rest[0] == "--prompt"
	if prompt {
		rest = rest[1:]
	}
	if len(rest) < 2 || rest[0] != "--" {
		return nil, 1, launch.Fail(launch.InvalidArgument, nil, "detach [--log FILE] [--prompt] -- CMD …")
	}
	if prompt {
		turns.Short()
	}
	pid, err := detach.Start(rest[1:], log)
	if err == nil {
		_, err = fmt.Fprintln(c.stdout, pid)
	}
	return nil, 0, err
}
