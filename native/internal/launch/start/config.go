package start

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"

	"cortex.dev/native/internal/launch"
	"cortex.dev/native/internal/launch/mounts"
)

// ociMount is a mount of an OCI configuration.
type ociMount struct {
	Destination string   `json:"destination"`
	Type        string   `json:"type"`
	Source      string   `json:"source"`
	Options     []string `json:"options"`
}

// ociNamespace is a namespace of an OCI configuration.
type ociNamespace struct {
	Type string `json:"type"`
	Path string `json:"path,omitempty"`
}

// config is the configuration with what only the launcher knows: the name of the
// control groups for a runtime that enters them itself, the user namespace for
// one that joins it, and a bind for each v1
// hierarchy that is shown, because crun 1.8 opens the source of a bind without
// what is mounted below it when the container has a user namespace.
func (a *attempt) config() ([]byte, error) {
	binds, err := a.cgroupBinds()
	ownAttach := a.runtime.Needs().OwnAttach && a.spec.Cgroup != nil
	if err != nil || (len(binds) == 0 && !ownAttach && a.namespace == nil) {
		return a.spec.Config, err
	}
	var config map[string]json.RawMessage
	if err := json.Unmarshal(a.spec.Config, &config); err != nil {
		return nil, launch.Fail(launch.InvalidArgument, err, "the config")
	}
	var list []json.RawMessage
	if err := json.Unmarshal(config["mounts"], &list); err != nil {
		return nil, launch.Fail(launch.InvalidArgument, err, "the config's mounts")
	}
	if config["mounts"], err = json.Marshal(append(list, binds...)); err != nil {
		return nil, err
	}
	if ownAttach {
		if config["linux"], err = withCgroupsPath(config["linux"], "/"+a.spec.Cgroup.Name); err != nil {
			return nil, err
		}
	}
	// A config without it is the runtime's to refuse.
	if a.namespace != nil && config["linux"] != nil {
		if config["linux"], err = joining(config["linux"], a.namespace); err != nil {
			return nil, err
		}
	}
	return json.Marshal(config)
}

func (a *attempt) cgroupBinds() ([]json.RawMessage, error) {
	if !slices.ContainsFunc(a.spec.Mounts, func(m launch.Mount) bool { return m.CgroupView != nil }) {
		return nil, nil
	}
	var binds []json.RawMessage
	for _, group := range a.shown {
		if group.Controller == "" {
			continue
		}
		mount, err := json.Marshal(ociMount{
			Destination: "/sys/fs/cgroup/" + group.Controller,
			Type:        "bind",
			Source:      mounts.CgroupPlace(a.spec.Bundle, group.Controller),
			Options:     []string{"bind", "ro", "nosuid", "nodev", "noexec"},
		})
		if err != nil {
			return nil, err
		}
		binds = append(binds, mount)
	}
	return binds, nil
}

func withCgroupsPath(linux json.RawMessage, path string) (json.RawMessage, error) {
	var parts map[string]json.RawMessage
	if err := json.Unmarshal(linux, &parts); err != nil {
		return nil, launch.Fail(launch.InvalidArgument, err, "the config's linux")
	}
	name, err := json.Marshal(path)
	if err != nil {
		return nil, err
	}
	parts["cgroupsPath"] = name
	return json.Marshal(parts)
}

// joining names the user namespace that the container is to be in.
func joining(linux json.RawMessage, namespace *os.File) (json.RawMessage, error) {
	var parts map[string]json.RawMessage
	if err := json.Unmarshal(linux, &parts); err != nil {
		return nil, launch.Fail(launch.InvalidArgument, err, "the config's linux")
	}
	var all []ociNamespace
	if err := json.Unmarshal(parts["namespaces"], &all); err != nil {
		return nil, launch.Fail(launch.InvalidArgument, err, "the config's namespaces")
	}
	for i := range all {
		if all[i].Type == "user" {
			all[i].Path = fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), namespace.Fd())
		}
	}
	text, err := json.Marshal(all)
	if err != nil {
		return nil, err
	}
	parts["namespaces"] = text
	return json.Marshal(parts)
}
