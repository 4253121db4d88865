package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"cortex.dev/native/internal/launch"
	"cortex.dev/native/internal/launch/cgroup"
	"cortex.dev/native/internal/launch/mounts"
	"cortex.dev/native/internal/launch/pool"
	"cortex.dev/native/internal/launch/runtime"
	"cortex.dev/native/internal/launch/userns"
)

// container is one start. Nothing is undone when it fails: remove comes after every
// run.
type container struct {
	spec      launch.Spec
	argv      []string
	group     *cgroup.Group
	namespace *os.File
	runtime   runtime.Runtime
}

func (c *container) start() error {
	if err := c.folders(); err != nil {
		return err
	}
	var err error
	if c.runtime, err = runtime.New(c.spec.Runtime); err != nil {
		return err
	}
	if err := c.groups(); err != nil {
		return err
	}
	if c.runtime.Needs().JoinsNamespace && c.spec.Idmap != nil {
		if c.namespace, err = userns.Open(*c.spec.Idmap); err != nil {
			return err
		}
	}
	config, err := c.config()
	if err != nil {
		return err
	}
	if err := mounts.Separate(); err != nil {
		return err
	}
	if err := c.plan().Carry(); err != nil {
		return err
	}
	return c.run(config)
}

func (c *container) folders() error {
	folders := []string{c.spec.Bundle}
	if c.spec.Listen != nil && c.spec.Listen.Shared != "" {
		folders = append(folders, c.spec.Listen.Shared)
	}
	for _, folder := range folders {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
	}
	if c.spec.Disk == nil {
		return nil
	}
	return pool.MakeDisk(*c.spec.Disk)
}

func (c *container) groups() error {
	if c.spec.Cgroup == nil {
		return nil
	}
	layout, err := cgroup.Find()
	if err != nil {
		return err
	}
	group := layout.Of(c.spec.Cgroup.Name)
	c.group = &group
	return group.Make(*c.spec.Cgroup)
}

func (c *container) plan() mounts.Plan {
	plan := mounts.Plan{
		Bundle:    c.spec.Bundle,
		Steps:     c.spec.Mounts,
		Idmap:     c.spec.Idmap,
		Namespace: c.namespace,
	}
	if c.group != nil {
		plan.Cgroups = c.group.Shown()
	}
	if c.spec.Idmap != nil {
		plan.RootUID, plan.RootGID = c.spec.Idmap.RootIDs(0, 0)
	}
	return plan
}

func (c *container) run(config []byte) error {
	attributes := &syscall.SysProcAttr{}
	leave := func() error { return nil }
	needs := c.runtime.Needs()
	if c.group != nil && !needs.OwnAttach {
		var err error
		if leave, err = c.group.Attach(attributes); err != nil {
			return err
		}
	}
	top := cgroup.Top
	if !needs.HiddenCgroups {
		var err error
		if top, err = mounts.Coverable(c.spec.Bundle); err != nil {
			return err
		}
	}
	place, err := mounts.Cover(top)
	if err != nil {
		return err
	}
	if err := place.Fill(c.spec.Bundle, config); err != nil {
		return err
	}
	program := c.runtime
	if needs.ReadOnlyProgram {
		shown, err := place.Program(c.spec.Runtime.Program)
		if err != nil {
			return err
		}
		program = program.At(shown)
	}
	// Not this process's, which is the host's null device: crun makes the sandbox's root the owner of streams.
	input, end, err := os.Pipe()
	if err != nil {
		return err
	}
	defer input.Close()
	if err := end.Close(); err != nil {
		return err
	}
	_, err = program.Run(runtime.Container{
		ID:         c.spec.ID,
		Bundle:     place.Bundle(),
		Files:      c.spec.Bundle,
		Stdio:      [3]*os.File{input, os.Stdout, os.Stderr},
		Attributes: attributes,
	})
	if err != nil {
		return err
	}
	if err := place.Uncover(); err != nil {
		return err
	}
	return leave()
}

// config is the recorded one with the caller's program, and with what the launcher
// alone knows.
func (c *container) config() ([]byte, error) {
	var config map[string]any
	decoder := json.NewDecoder(bytes.NewReader(c.spec.Config))
	// Limits without an end do not fit into a float.
	decoder.UseNumber()
	if err := decoder.Decode(&config); err != nil {
		return nil, fmt.Errorf("the config: %w", err)
	}
	process, _ := config["process"].(map[string]any)
	linux, _ := config["linux"].(map[string]any)
	list, _ := config["mounts"].([]any)
	if process == nil || linux == nil {
		return nil, fmt.Errorf("the config has no process or no linux")
	}
	process["args"] = c.argv
	if c.group != nil && c.runtime.Needs().OwnAttach {
		linux["cgroupsPath"] = "/" + c.spec.Cgroup.Name
	}
	if c.namespace != nil {
		namespaces, _ := linux["namespaces"].([]any)
		for _, one := range namespaces {
			if namespace, ok := one.(map[string]any); ok && namespace["type"] == "user" {
				namespace["path"] = fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), c.namespace.Fd())
			}
		}
	}
	if c.group != nil && c.showsGroups() {
		for _, group := range c.group.Shown() {
			if group.Controller != "" {
				list = append(list, map[string]any{
					"destination": filepath.Join("/sys/fs/cgroup", group.Controller),
					"type":        "bind",
					"source":      mounts.CgroupPlace(c.spec.Bundle, group.Controller),
					"options":     []string{"bind", "ro", "nosuid", "nodev", "noexec"},
				})
			}
		}
	}
	config["mounts"] = list
	return json.Marshal(config)
}

func (c *container) showsGroups() bool {
	for _, mount := range c.spec.Mounts {
		if mount.CgroupView != nil {
			return true
		}
	}
	return false
}
