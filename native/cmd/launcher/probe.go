package main

import (
	"fmt"
	"os"

	"cortex.dev/native/internal/launch/probe"
)

// probeVerb takes the folder whose file system matters; where programs keep
// lasting things otherwise.
func probeVerb(c call) (any, int, error) {
	folder := "/var"
	if len(c.arguments) > 0 {
		var err error
		if folder, err = clean(c.arguments[0]); err != nil {
			return nil, 1, err
		}
	}
	return probe.Host(folder, c.began), 0, nil
}

// probeInsideVerb tells the reason on standard error, for the process that asked.
func probeInsideVerb(call) (any, int, error) {
	if err := probe.Inside(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return nil, 1, nil
	}
	return nil, 0, nil
}
