package start

import (
	"encoding/json"
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

// config is the configuration with a bind for each v1 hierarchy that is shown:
// crun 1.8 opens the source of a bind without what is mounted below it, when the
// container has a user namespace.
func (a *attempt) config() ([]byte, error) {
	shown := slices.ContainsFunc(a.spec.Mounts, func(m launch.Mount) bool { return m.CgroupView != nil })
	hierarchies := slices.DeleteFunc(slices.Clone(a.answer.Cgroups), func(p launch.CgroupPath) bool { return p.Controller == "" })
	if !shown || len(hierarchies) == 0 {
		return a.spec.Config, nil
	}
	var config map[string]json.RawMessage
	var list []json.RawMessage
	if err := json.Unmarshal(a.spec.Config, &config); err != nil {
		return nil, launch.Fail(launch.InvalidArgument, err, "the config")
	}
	if err := json.Unmarshal(config["mounts"], &list); err != nil {
		return nil, launch.Fail(launch.InvalidArgument, err, "the config's mounts")
	}
	for _, group := range hierarchies {
		mount, err := json.Marshal(ociMount{
			Destination: "/sys/fs/cgroup/" + group.Controller,
			Type:        "bind",
			Source:      mounts.CgroupPlace(a.spec.Bundle, group.Controller),
			Options:     []string{"bind", "ro", "nosuid", "nodev", "noexec"},
		})
		if err != nil {
			return nil, err
		}
		list = append(list, mount)
	}
	changed, err := json.Marshal(list)
	if err != nil {
		return nil, err
	}
	config["mounts"] = changed
	return json.Marshal(config)
}
