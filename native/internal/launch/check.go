package launch

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

var (
	idShape     = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`)
	cgroupShape = regexp.MustCompile(`^cortex-[A-Za-z0-9_.-]{1,64}/[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$`)
)

// maxSocketPath is what sun_path holds besides its NUL.
const maxSocketPath = 107

// Check is every fault of the request together, or nil.
func (s *Spec) Check() error {
	faults := newFaults(s.Version, s.ID, s.Runtime)
	switch s.Runtime.Kind {
	case Oci:
		s.checkOci(faults)
	case None:
		s.checkProcess(faults)
	}
	if s.Disk != nil {
		s.Disk.check(faults)
	}
	faults.optionalPath("console", s.Console)
	faults.optionalPath("pid_file", s.PidFile)
	if s.Listen != nil {
		faults.path("listen.path", s.Listen.Path)
		faults.optionalPath("listen.shared", s.Listen.Shared)
		faults.refuse(len(s.Listen.Path) > maxSocketPath,
			"listen.path has %d bytes, a socket's path holds %d", len(s.Listen.Path), maxSocketPath)
	}
	if s.Cgroup != nil {
		faults.cgroup("cgroup.name", s.Cgroup.Name)
		faults.refuse(s.Cgroup.MemoryBytes < 0 || s.Cgroup.Pids < 0 || s.Cgroup.CPUQuotaMicros < 0 ||
			s.Cgroup.CPUPeriodMicros < 0 || s.Cgroup.CPUShares < 0 || s.Cgroup.Cpus < 0,
			"cgroup has a negative limit")
	}
	return faults.asError()
}

func (s *Spec) checkOci(faults *faults) {
	faults.path("bundle", s.Bundle)
	faults.optionalPath("restore", s.Restore)
	faults.refuse(len(s.Config) == 0, "config is missing")
	faults.refuse(s.Process != nil, "process belongs to runtime none")
	faults.refuse(s.Idmap != nil && s.Rootless != nil, "idmap cannot be used in rootless")
	if s.Idmap != nil {
		faults.mapping("idmap", *s.Idmap)
	}
	for i, mount := range s.Mounts {
		mount.check(faults, fmt.Sprintf("mounts[%d]", i), s)
	}
}

func (s *Spec) checkProcess(faults *faults) {
	faults.refuse(s.Restore != "" || len(s.Mounts) > 0 || len(s.Config) > 0 || s.Idmap != nil || s.Rootless != nil || s.Bundle != "",
		"bundle, config, mounts, restore, idmap and rootless belong to runtime oci")
	if s.Process == nil {
		faults.refuse(true, "process is missing")
		return
	}
	faults.refuse(len(s.Process.Argv) == 0, "process.argv is empty")
	if len(s.Process.Argv) > 0 {
		faults.path("process.argv[0]", s.Process.Argv[0])
	}
	faults.path("process.cwd", s.Process.Cwd)
	faults.refuse(s.Process.Mark>>SessionBits == 0, "process.mark has nothing in its high bits")
	for _, text := range append(append([]string{}, s.Process.Argv...), s.Process.Env...) {
		faults.refuse(strings.ContainsRune(text, 0), "process has a NUL in an argument or variable")
	}
}

func (m Mount) check(faults *faults, name string, spec *Spec) {
	set := 0
	if m.Overlay != nil {
		set++
		m.Overlay.check(faults, name+".overlay", spec)
	}
	if m.Bind != nil {
		set++
		faults.path(name+".bind.source", m.Bind.Source)
		faults.target(name+".bind.target", m.Bind.Target)
		faults.refuse(m.Bind.Hidden && (!m.Bind.ReadOnly || m.Bind.Recursive),
			"%s.bind.hidden needs read_only and excludes recursive", name)
		faults.refuse(m.Bind.Idmap && spec.Idmap == nil, "%s.bind.idmap needs the mapping idmap", name)
	}
	if m.Tmpfs != nil {
		set++
		faults.target(name+".tmpfs.target", m.Tmpfs.Target)
		faults.refuse(m.Tmpfs.Size < 4096, "%s.tmpfs.size is less than a page", name)
		faults.refuse(strings.Trim(m.Tmpfs.Mode, "01234567") != "" || len(m.Tmpfs.Mode) > 4,
			"%s.tmpfs.mode is not octal", name)
	}
	if m.CgroupView != nil {
		set++
	}
	if m.Live != nil {
		set++
		faults.path(name+".live.source", m.Live.Source)
		faults.path(name+".live.target", m.Live.Target)
		faults.path(name+".live.home", m.Live.Home)
		faults.refuse(m.Live.UID < 0 || m.Live.GID < 0, "%s.live has an impossible id", name)
	}
	faults.refuse(set != 1, "%s needs exactly one of overlay, bind, tmpfs, cgroup_view, live", name)
}

func (o *Overlay) check(faults *faults, name string, spec *Spec) {
	faults.refuse(len(o.Lowers) == 0, "%s.lowers is empty", name)
	for i, lower := range o.Lowers {
		faults.path(fmt.Sprintf("%s.lowers[%d]", name, i), lower)
	}
	faults.target(name+".target", o.Target)
	faults.refuse((o.Upper == "") != (o.Work == ""), "%s needs both of upper and work, or none", name)
	if o.Upper != "" {
		faults.path(name+".upper", o.Upper)
		faults.path(name+".work", o.Work)
		faults.refuse(filepath.Dir(o.Upper) != filepath.Dir(o.Work) || o.Upper == o.Work,
			"%s: upper and work must lie beside each other", name)
	}
	faults.refuse((o.IdmapLowers || o.IdmapUpper) && spec.Idmap == nil, "%s needs the mapping idmap", name)
	faults.refuse(o.Userxattr && spec.Rootless == nil, "%s.userxattr belongs to rootless", name)
}

// Check is every fault of the request together, or nil.
func (s *StopSpec) Check() error {
	faults := newFaults(s.Version, s.ID, s.Runtime)
	if s.CgroupName != "" {
		faults.cgroup("cgroup_name", s.CgroupName)
	}
	faults.refuse(s.Pid < 0 || s.Pid == 1, "pid is no sandbox's")
	faults.refuse(s.Pid != 0 && (s.StartTime == 0 || s.BootID == ""), "pid needs start_time and boot_id")
	faults.refuse(s.Mark != 0 && s.Mark>>SessionBits == 0, "mark has nothing in its high bits")
	faults.refuse(s.Pid == 0 && s.CgroupName == "" && s.Mark == 0,
		"one of pid, cgroup_name and mark is needed to find the processes")
	faults.optionalPath("socket", s.Socket)
	faults.optionalPath("shared", s.Shared)
	faults.optionalPath("pid_file", s.PidFile)
	faults.optionalPath("bundle", s.Bundle)
	return faults.asError()
}

// faults collects what is wrong, so that all is told at once.
type faults struct{ found []error }

func newFaults(version int, id string, runtime Runtime) *faults {
	faults := &faults{}
	faults.refuse(version != Version, "version %d is not %d", version, Version)
	faults.refuse(!idShape.MatchString(id), "id %q is no name", id)
	switch runtime.Kind {
	case None:
	case Oci:
		faults.refuse(runtime.Flavour == "", "runtime.flavour is missing")
		faults.path("runtime.program", runtime.Program)
		faults.path("runtime.state_root", runtime.StateRoot)
	default:
		faults.refuse(true, "runtime.kind %q is neither none nor oci", runtime.Kind)
	}
	return faults
}

func (f *faults) refuse(wrong bool, format string, args ...any) {
	if wrong {
		f.found = append(f.found, fmt.Errorf(format, args...))
	}
}

func (f *faults) path(name, value string) {
	f.refuse(!path.IsAbs(value) || path.Clean(value) != value || value == "/" || strings.ContainsRune(value, 0),
		"%s %q is no clean absolute path", name, value)
}

func (f *faults) optionalPath(name, value string) {
	if value != "" {
		f.path(name, value)
	}
}

func (f *faults) target(name, value string) {
	f.refuse(!path.IsAbs(value) || path.Clean(value) != value || strings.ContainsRune(value, 0),
		"%s %q is no clean absolute path", name, value)
}

func (f *faults) cgroup(name, value string) {
	f.refuse(!cgroupShape.MatchString(value), "%s %q is not of the form cortex-<home>/<id>", name, value)
}

func (f *faults) mapping(name string, mapping Mapping) {
	f.refuse(len(mapping.Uids) == 0 || len(mapping.Gids) == 0, "%s needs uids and gids", name)
	for _, ids := range append(append([]IDRange{}, mapping.Uids...), mapping.Gids...) {
		end := uint64(max(ids.ContainerID, ids.HostID)) + uint64(ids.Size)
		f.refuse(ids.Size == 0 || end > 1<<32-1, "%s has an empty or impossible range", name)
	}
}

func (f *faults) asError() error {
	if len(f.found) == 0 {
		return nil
	}
	return Fail(InvalidArgument, errors.Join(f.found...), "the request is refused")
}
