// Package start starts one sandbox.
package start

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"cortex.dev/native/internal/launch"
	"cortex.dev/native/internal/launch/cgroup"
	"cortex.dev/native/internal/launch/cleanup"
	"cortex.dev/native/internal/launch/listen"
	"cortex.dev/native/internal/launch/pool"
	"cortex.dev/native/internal/launch/process"
	"cortex.dev/native/internal/launch/runtime"
	"golang.org/x/sys/unix"
)

// servesWithin is ten times what a first process takes to its listener on a busy
// machine.
const servesWithin = 10 * time.Second

// attempt is one start under way.
type attempt struct {
	spec    launch.Spec
	clock   *Clock
	undo    cleanup.Stack
	answer  launch.Started
	console *os.File
	socket  *os.File
	shared  *listen.Shared
	layout  cgroup.Layout
	group   *cgroup.Group
	shown   []launch.CgroupPath // of the groups, to the sandbox
	runtime runtime.Runtime
	room    *pool.Room
	// namespace is the sandbox's user namespace, where the runtime can join one.
	namespace *os.File
	// cpus is the sandbox's affinity, nil for all processors.
	cpus *unix.CPUSet
}

// Start starts the first process of a checked specification. The caller is
// locked to its thread, which ends up in the sandbox's mount namespace: nothing
// else is to be done in this process. If it fails, what was made is removed.
func Start(spec launch.Spec, clock *Clock) (launch.Started, error) {
	a := &attempt{spec: spec, clock: clock}
	defer a.close()
	err := a.run()
	if err != nil {
		if undone := a.undo.Run(); undone != nil {
			err = fmt.Errorf("%w; afterwards: %w", err, undone)
		}
		return launch.Started{}, err
	}
	a.undo.Keep()
	a.answer.Version = launch.Version
	a.answer.Timings = clock.timings
	a.answer.TotalMicros = clock.total()
	return a.answer, nil
}

func (a *attempt) close() {
	for _, file := range []*os.File{a.console, a.socket, a.namespace} {
		if file != nil {
			_ = file.Close()
		}
	}
}

func (a *attempt) run() error {
	// First, since what follows takes away what an earlier start left.
	if err := a.checkFree(); err != nil {
		return err
	}
	if err := a.makeDisk(); err != nil {
		return err
	}
	if err := a.openStreams(); err != nil {
		return err
	}
	a.clock.step("streams")
	if err := a.makeGroup(); err != nil {
		return err
	}
	a.clock.step("cgroups")
	pid, err := a.firstProcess()
	if err != nil {
		return err
	}
	a.undo.Push("killing the first process", func() error { return unix.Kill(pid, unix.SIGKILL) })
	if err := a.identify(pid); err != nil {
		return err
	}
	a.clock.step("identity")
	if err := a.awaitSocket(pid); err != nil {
		return err
	}
	a.clock.step("served")
	if a.room != nil {
		// Nothing of the guest's ran until now.
		return a.room.Close()
	}
	return nil
}

// makeDisk is not undone: a disk belongs to its name, and whoever asked for the
// start knows whether it was there before.
func (a *attempt) makeDisk() error {
	if a.spec.Disk == nil {
		return nil
	}
	room, err := pool.MakeDiskWithRoom(*a.spec.Disk)
	if err != nil {
		return err
	}
	a.room = room
	a.undo.Push("holding the disk to its limit", room.Close)
	a.clock.step("disk")
	return nil
}

func (a *attempt) firstProcess() (int, error) {
	if a.spec.Runtime.Kind == launch.Oci {
		return a.oci()
	}
	return a.plain()
}

func (a *attempt) openStreams() error {
	open := openConsole
	if a.spec.Runtime.Kind == launch.None {
		open = openPlainConsole
	}
	var err error
	if a.spec.Console == "" {
		a.console, err = openNowhere()
	} else {
		a.console, err = open(a.spec.Console)
	}
	if err != nil || a.spec.Listen == nil {
		return err
	}
	if a.spec.Listen.Shared != "" {
		return a.share()
	}
	var file launch.SocketFile
	if a.socket, file, err = listen.Open(*a.spec.Listen); err != nil {
		return err
	}
	a.undo.Push("removing the socket", func() error { return os.Remove(file.Path) })
	a.answer.Socket = &file
	return nil
}

// share makes the folder in which the first process will bind the socket.
func (a *attempt) share() error {
	uid, gid := a.spec.Idmap.RootIDs(os.Geteuid(), os.Getegid())
	shared, err := listen.Share(*a.spec.Listen, uid, gid)
	a.undo.Push("removing the channel", shared.Remove)
	a.shared = &shared
	if err != nil || a.spec.Restore == "" {
		return err
	}
	return errors.Join(shared.Promise(uid, gid), shared.Tell(listen.Restored))
}

// awaitSocket returns when the first process serves.
func (a *attempt) awaitSocket(pid int) error {
	if a.shared == nil {
		return nil
	}
	file, err := a.shared.Bound(func() bool { return process.Lives(pid) }, time.Now().Add(servesWithin))
	if err != nil {
		return err
	}
	a.answer.Socket = &file
	return nil
}

// checkFree refuses to start a sandbox that runs.
func (a *attempt) checkFree() error {
	layout, err := cgroup.Find()
	if err != nil {
		return err
	}
	a.layout = layout
	if a.spec.Cgroup != nil {
		if err := layout.Of(a.spec.Cgroup.Name).CheckFree(); err != nil {
			return err
		}
	}
	if a.spec.Runtime.Kind != launch.Oci {
		return nil
	}
	if a.runtime, err = runtime.New(a.spec.Runtime); err != nil {
		return err
	}
	if a.runtime.Needs().BindsSocket && a.spec.Listen != nil && a.spec.Listen.Shared == "" {
		return launch.Fail(launch.InvalidArgument, nil, "%s needs listen.shared", a.spec.Runtime.Flavour)
	}
	if _, can := a.runtime.(runtime.Checkpointing); !can && a.spec.Restore != "" {
		return launch.Fail(launch.Unsupported, nil, "%s restores no checkpoint", a.spec.Runtime.Flavour).WithRemedy("use runsc")
	}
	if a.runtime.Knows(a.spec.ID) {
		return launch.Fail(launch.AlreadyExists, nil, "the runtime has a container %s already", a.spec.ID).
			WithRemedy("stop the sandbox first")
	}
	return nil
}

func (a *attempt) makeGroup() error {
	if a.spec.Cgroup == nil {
		return nil
	}
	group := a.layout.Of(a.spec.Cgroup.Name)
	a.undo.Push("removing the control groups", func() error { return removeGroup(group) })
	if err := group.Make(*a.spec.Cgroup); err != nil {
		return err
	}
	a.group = &group
	a.answer.Cgroups, a.shown = group.Paths(), group.Shown()
	return nil
}

// attach makes children of this thread be born in the sandbox's groups and with
// its affinity; leave undoes it for the thread.
func (a *attempt) attach(attributes *syscall.SysProcAttr) (leave func() error, err error) {
	if a.group == nil {
		return func() error { return nil }, nil
	}
	if err := a.setAffinity(); err != nil {
		return nil, err
	}
	return a.group.Attach(attributes)
}

func (a *attempt) identify(pid int) error {
	stat, err := process.ReadStat(pid)
	if err != nil {
		return launch.Fail(launch.DriverFailed, err, "the first process ended at once").
			WithRemedy("its last words are in the console file")
	}
	boot, err := process.BootID()
	if err != nil {
		return err
	}
	a.answer.Pid, a.answer.StartTime, a.answer.BootID = pid, stat.StartTime, boot
	if a.spec.PidFile == "" {
		return nil
	}
	return writeWhole(a.spec.PidFile, strconv.Itoa(pid)+"\n")
}

// writeWhole writes a file that is either there with all of its content or not
// there.
func writeWhole(path, content string) error {
	temporary := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".new")
	if err := os.WriteFile(temporary, []byte(content), 0o600); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	if err := os.Rename(temporary, path); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}
