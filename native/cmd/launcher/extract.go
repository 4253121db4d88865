package main

import (
	"os"
	"strconv"

	"cortex.dev/native/internal/launch"
	"cortex.dev/native/internal/launch/untar"
)

// extractVerb takes [--rootless] [--max-bytes N] [--max-entries N] TAR DIR; TAR
// may be -, standard input.
func extractVerb(c call) (any, int, error) {
	if done, status, err := inside(&c, "extract"); done {
		return nil, status, err
	}
	limits, rest, err := limitsOf(c.arguments)
	if err != nil {
		return nil, 1, err
	}
	if len(rest) != 2 {
		return nil, 1, launch.Fail(launch.InvalidArgument, nil, "extract TAR DIR")
	}
	target, err := clean(rest[1])
	if err != nil {
		return nil, 1, err
	}
	archive := c.stdin
	if rest[0] != "-" {
		file, err := os.Open(rest[0])
		if err != nil {
			return nil, 1, launch.Fail(launch.NotFound, err, "the archive")
		}
		defer file.Close()
		archive = file
	}
	answer, err := untar.Unpack(archive, target, limits)
	return answer, 0, err
}

func limitsOf(arguments []string) (untar.Limits, []string, error) {
	limits := untar.Generous
	for len(arguments) >= 2 {
		limit := &limits.Bytes
		switch arguments[0] {
		case "--max-bytes":
		case "--max-entries":
			limit = &limits.Entries
		default:
			return limits, arguments, nil
		}
		value, err := strconv.ParseInt(arguments[1], 10, 64)
		if err != nil || value < 0 {
			return limits, nil, launch.Fail(launch.InvalidArgument, err, "%s takes a number", arguments[0])
		}
		*limit, arguments = value, arguments[2:]
	}
	return limits, arguments, nil
}
