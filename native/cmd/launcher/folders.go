package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"

	"golang.org/x/sys/unix"

	"cortex.dev/native/internal/files"
	"cortex.dev/native/internal/launch"
)

// packVerb writes a tar of what lies beneath a folder to standard output. Its words, a record of
// what went through or why it failed, go to standard error.
func packVerb(c call) (any, int, error) {
	return transfer(c, func(folder int) (files.Report, error) {
		return files.Pack(context.Background(), folder, c.stdout)
	})
}

// unpackVerb reads a tar, most likely a sandbox's and not to be trusted, from standard input and
// makes what it holds beneath a folder that exists, touching nothing else. The umask counts, as
// for any program that makes files for its user; owners and setuid bits of the archive do not.
func unpackVerb(c call) (any, int, error) {
	umask := unix.Umask(0)
	unix.Umask(umask)
	return transfer(c, func(folder int) (files.Report, error) {
		return files.Unpack(context.Background(), folder, c.stdin, files.Unpacking{Umask: uint32(umask)})
	})
}

// transferred is what a transfer tells at its end.
type transferred struct {
	Version int    `json:"version"`
	Entries uint64 `json:"entries"`
	Bytes   uint64 `json:"bytes"`   // of the archive
	Skipped uint64 `json:"skipped"` // sockets, FIFOs and devices
}

func transfer(c call, through func(folder int) (files.Report, error)) (any, int, error) {
	report, err := withFolder(c.arguments, through)
	var record any = transferred{launch.Version, report.Entries, report.Bytes, report.Skipped}
	status := 0
	if err != nil {
		record, status = launch.Failed{Error: failureOf(err)}, 1
	}
	if err := json.NewEncoder(os.Stderr).Encode(record); err != nil {
		return nil, 1, nil // nobody listens
	}
	return nil, status, nil
}

func withFolder(arguments []string, through func(folder int) (files.Report, error)) (files.Report, error) {
	if len(arguments) != 1 {
		return files.Report{}, launch.Fail(launch.InvalidArgument, nil, "one folder is expected, there are %d arguments", len(arguments))
	}
	// A person named it: links on the way to it are theirs to have.
	folder, err := os.OpenFile(arguments[0], unix.O_PATH|unix.O_DIRECTORY, 0)
	if err != nil {
		code := launch.InvalidArgument
		if errors.Is(err, os.ErrNotExist) {
			code = launch.NotFound
		}
		return files.Report{}, launch.Fail(code, err, "cannot open the folder").WithRemedy("name a folder that exists")
	}
	defer folder.Close()
	return through(int(folder.Fd()))
}

func failureOf(err error) *launch.Failure {
	var ofFiles *files.Error
	if errors.As(err, &ofFiles) {
		return &launch.Failure{Code: launch.Code(ofFiles.Code), Message: ofFiles.Message, Remedy: ofFiles.Remedy}
	}
	var failure *launch.Failure
	if errors.As(err, &failure) {
		return launch.AsFailure(err)
	}
	return launch.Fail(launch.Code(files.Internal), err, "the stream of the archive failed")
}
