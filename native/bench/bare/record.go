package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"cortex.dev/native/internal/launch"
	"golang.org/x/sys/unix"
)

// record stands in the place of the launcher: it keeps each request to start a
// sandbox as start-RUNTIME.json beside itself, and becomes the real launcher,
// which is "launcher.real" there.
func record() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	folder := filepath.Dir(os.Args[0])
	if !filepath.IsAbs(folder) {
		folder = filepath.Dir(self)
	}
	if len(os.Args) == 2 && os.Args[1] == "start" {
		if err := keep(folder); err != nil {
			return err
		}
	}
	real := filepath.Join(folder, "launcher.real")
	return unix.Exec(real, append([]string{real}, os.Args[1:]...), os.Environ())
}

// keep reads the request and puts it back where the launcher will read it.
func keep(folder string) error {
	request, err := io.ReadAll(io.LimitReader(os.Stdin, launch.MaxInput))
	if err != nil {
		return fmt.Errorf("reading the request: %w", err)
	}
	var spec launch.Spec
	if err := json.Unmarshal(request, &spec); err != nil {
		return fmt.Errorf("the request: %w", err)
	}
	if err := os.WriteFile(filepath.Join(folder, "start-"+spec.Runtime.Flavour+".json"), request, 0o600); err != nil {
		return err
	}
	memory, err := unix.MemfdCreate("request", 0)
	if err != nil {
		return fmt.Errorf("keeping the request: %w", err)
	}
	if _, err := unix.Write(memory, request); err != nil {
		return fmt.Errorf("keeping the request: %w", err)
	}
	if _, err := unix.Seek(memory, 0, io.SeekStart); err != nil {
		return fmt.Errorf("keeping the request: %w", err)
	}
	return unix.Dup2(memory, 0)
}

// read makes the recorded request one for another sandbox: every name that a start
// makes derives from the id.
func read(file, id string) (launch.Spec, error) {
	var spec launch.Spec
	text, err := os.ReadFile(file)
	if err != nil {
		return spec, err
	}
	var named struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(text, &named); err != nil || named.ID == "" {
		return spec, fmt.Errorf("%s is no request: %w", file, err)
	}
	if err := launch.Decode(bytes.NewReader([]byte(strings.ReplaceAll(string(text), named.ID, id))), &spec); err != nil {
		return spec, err
	}
	// What is below a disk is the recorded sandbox's, whose own files nobody else has.
	for _, mount := range spec.Mounts {
		if mount.Overlay != nil {
			for i, lower := range mount.Overlay.Lowers {
				mount.Overlay.Lowers[i] = strings.ReplaceAll(lower, id, named.ID)
			}
		}
	}
	return spec, spec.Check()
}
