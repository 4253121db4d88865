package main

import (
	"fmt"
	"os"

	"cortex.dev/native/internal/launch/probe"
)

// probeVerb takes [--tools DIR] [DIR]: a folder of runtimes, and the folder whose file system matters; where programs keep
// lasting things otherwise.
func probeVerb(c call) (any, int, error) {
	folder, tools, rest := "/var", "", c.arguments
	var err error
	if len(rest) >= 2 && rest[0] == "--tools" {
		if tools, err = clean(rest[1]); err != nil {
			return nil, 1, err
		}
		rest = rest[2:]
	}
	if len(rest) > 0 {
		if folder, err = clean(rest[0]); err != nil {
			return nil, 1, err
		}
	}
	return probe.Host(folder, tools, c.began), 0, nil
}

// probeInsideVerb tells the reason on standard error, for the process that asked.
func probeInsideVerb(call) (any, int, error) {
	if err := probe.Inside(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return nil, 1, nil
	}
	return nil, 0, nil
}
