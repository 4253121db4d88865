package main

import (
	"os"

	"cortex.dev/native/internal/launch"
	"cortex.dev/native/internal/launch/image"
)

// importVerb takes [--rootless]; how far it is goes to standard error.
func importVerb(c call) (any, int, error) {
	if done, status, err := inside(&c, "import"); done {
		return nil, status, err
	}
	if len(c.arguments) != 0 {
		return nil, 1, launch.Fail(launch.InvalidArgument, nil, "import takes a request on standard input")
	}
	var spec launch.ImportSpec
	if err := launch.Decode(c.stdin, &spec); err != nil {
		return nil, 1, err
	}
	if err := spec.Check(); err != nil {
		return nil, 1, err
	}
	answer, err := image.Import(spec, c.staged, os.Stderr)
	return answer, 0, err
}
