// Package probe finds out what the launcher can do on this host, by doing it.
package probe

import (
	"os"
	"os/user"
	"time"

	"cortex.dev/native/internal/launch"
	"cortex.dev/native/internal/launch/cgroup"
	"cortex.dev/native/internal/launch/userns"
	"golang.org/x/sys/unix"
)

// Host probes. folder is on the file system whose idmapped mounts matter: where
// images and disks are. tools is a folder of runtimes that goes before PATH, or
// "". The caller is locked to its thread, which is in a mount
// namespace of its own afterwards.
func Host(folder, tools string, began time.Time) launch.Probed {
	facts := launch.Probed{
		Version: launch.Version,
		Euid:    os.Geteuid(),
		SubUids: []launch.SubRange{},
		SubGids: []launch.SubRange{},
		Reasons: map[string]string{},
	}
	// Programs are asked while the rest is tried.
	runtimes := make(chan []launch.ProbedRuntime, 1)
	go func() { runtimes <- findRuntimes(tools) }()
	inside := make(chan error, 1)
	go func() { inside <- askInside() }()

	kernel(&facts)
	owner(&facts)
	groups(&facts)
	mountsOf(&facts, folder)

	err := <-inside
	facts.UserNamespaces = told(&facts, "user_namespaces", userNamespace(err))
	facts.OverlayUserxattr = told(&facts, "overlay_userxattr", err)
	if facts.Euid != 0 {
		facts.Overlay = told(&facts, "overlay", err)
	}
	facts.Runtimes = <-runtimes
	facts.TotalMicros = time.Since(began).Microseconds()
	return facts
}

// told is true without an error, and otherwise keeps the reason.
func told(facts *launch.Probed, name string, err error) bool {
	if err != nil {
		facts.Reasons[name] = err.Error()
	}
	return err == nil
}

func kernel(facts *launch.Probed) {
	var name unix.Utsname
	if unix.Uname(&name) == nil {
		facts.Kernel = unix.ByteSliceToString(name.Release[:])
		facts.Arch = unix.ByteSliceToString(name.Machine[:])
	}
	facts.Seccomp = told(facts, "seccomp", seccomp())
	fd, err := unix.PidfdOpen(os.Getpid(), 0)
	facts.Pidfd = told(facts, "pidfd", err)
	if err == nil {
		_ = unix.Close(fd)
	}
	fd, err = unix.Openat2(unix.AT_FDCWD, "/", &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_IN_ROOT})
	facts.Openat2 = told(facts, "openat2", err)
	if err == nil {
		_ = unix.Close(fd)
	}
}

func owner(facts *launch.Probed) {
	current, err := user.Current()
	if err != nil {
		facts.Reasons["sub_uids"] = err.Error()
		return
	}
	facts.User = current.Username
	facts.SubUids = ranges(facts, "sub_uids", "/etc/subuid", current)
	facts.SubGids = ranges(facts, "sub_gids", "/etc/subgid", current)
	facts.Newuidmap = program(facts, "newuidmap")
	facts.Newgidmap = program(facts, "newgidmap")
}

func ranges(facts *launch.Probed, name, file string, owner *user.User) []launch.SubRange {
	found, err := userns.Subordinate(file, owner)
	if err != nil {
		facts.Reasons[name] = err.Error()
	} else if len(found) == 0 {
		facts.Reasons[name] = owner.Username + " has no line in " + file
	}
	return append([]launch.SubRange{}, found...)
}

func groups(facts *launch.Probed) {
	facts.Cgroup = launch.ProbedCgroup{Layout: string(cgroup.Absent), Controllers: []string{}}
	layout, err := cgroup.Find()
	if err != nil {
		facts.Reasons["cgroup"] = err.Error()
		return
	}
	facts.Cgroup = launch.ProbedCgroup{Layout: string(layout.Kind), Controllers: layout.Usable(), Root: layout.Top}
	if len(facts.Cgroup.Controllers) == 0 {
		facts.Reasons["cgroup"] = "user " + facts.User + " may not make control groups"
	}
}
