package main

import (
	"path/filepath"
	"strings"

	"cortex.dev/native/internal/launch"
	"cortex.dev/native/internal/launch/tree"
	"cortex.dev/native/internal/launch/userns"
)

const rootlessFlag = "--rootless"

// inside runs a verb with the given arguments in the caller's user namespace, if
// the flag asks for it and it is not there yet. done: it answered there.
func inside(c *call, verb string) (done bool, status int, err error) {
	if len(c.arguments) == 0 || c.arguments[0] != rootlessFlag {
		return false, 0, nil
	}
	if !c.staged {
		status, err = userns.Run(launch.Mapping{}, append([]string{verb}, c.arguments...), c.stdin, c.stdout)
		return true, status, err
	}
	c.arguments = c.arguments[1:]
	return false, 0, nil
}

func wipeVerb(c call) (any, int, error) {
	if done, status, err := inside(&c, "wipe"); done {
		return nil, status, err
	}
	root, err := folder(c.arguments)
	if err != nil {
		return nil, 1, err
	}
	removed, err := tree.Wipe(root)
	answer := launch.Wiped{Version: launch.Version, Entries: removed, Remaining: []launch.Remainder{}}
	if err != nil {
		answer.Remaining = append(answer.Remaining, launch.Remainder{Kind: "folder", Name: root, Reason: err.Error()})
	}
	return answer, statusOf(answer.Remaining), nil
}

func usageVerb(c call) (any, int, error) {
	if done, status, err := inside(&c, "usage"); done {
		return nil, status, err
	}
	root, err := folder(c.arguments)
	if err != nil {
		return nil, 1, err
	}
	answer, err := tree.Usage(root)
	return answer, 0, err
}

func folder(arguments []string) (string, error) {
	if len(arguments) != 1 {
		return "", launch.Fail(launch.InvalidArgument, nil, "one folder is expected, there are %d arguments", len(arguments))
	}
	return clean(arguments[0])
}

func clean(path string) (string, error) {
	// Two levels at least: /var is nobody's to wipe.
	if !filepath.IsAbs(path) || filepath.Clean(path) != path || strings.Count(path, "/") < 2 {
		return "", launch.Fail(launch.InvalidArgument, nil, "%q is no clean absolute path below a top folder", path)
	}
	return path, nil
}
