package start

import (
	"errors"
	"os"
	"syscall"
	"time"

	"cortex.dev/native/internal/launch"
	"cortex.dev/native/internal/launch/cgroup"
	"cortex.dev/native/internal/launch/mounts"
	"cortex.dev/native/internal/launch/runtime"
	"cortex.dev/native/internal/launch/userns"
	"golang.org/x/sys/unix"
)

// groupGrace is how long the kernel may take to notice that the processes of a
// failed start are gone.
const groupGrace = 2 * time.Second

func (a *attempt) oci() (int, error) {
	if err := a.openNamespace(); err != nil {
		return 0, err
	}
	a.clock.step("user namespace")
	config, err := a.config()
	if err != nil {
		return 0, err
	}
	a.clock.step("config")
	plan, err := a.planWithGuards()
	if err != nil {
		return 0, err
	}
	if err := a.enterNamespace(); err != nil {
		return 0, err
	}
	a.clock.step("namespace")
	if err := plan.Carry(); err != nil {
		return 0, err
	}
	a.clock.step("mounts")
	return a.runRuntime(config)
}

// openNamespace makes the sandbox's user namespace, owned by the sandbox's root.
// A runtime would make one that is owned by ours.
func (a *attempt) openNamespace() (err error) {
	if a.spec.Idmap != nil && a.runtime.Needs().JoinsNamespace {
		a.namespace, err = userns.Open(*a.spec.Idmap)
	}
	return err
}

func (a *attempt) runRuntime(config []byte) (int, error) {
	// With a launcher that is killed the runtime goes as well: who then stops the
	// sandbox must not race with it.
	attributes := &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := a.enterGroups(attributes); err != nil {
		return 0, err
	}
	a.clock.step("attach")
	place, err := a.fillPlace(config)
	if err != nil {
		return 0, err
	}
	program := a.runtime
	if program.Needs().ReadOnlyProgram {
		shown, err := place.Program(a.spec.Runtime.Program)
		if err != nil {
			return 0, err
		}
		program = program.At(shown)
	}
	a.clock.step("bundle")
	input, err := openEnded()
	if err != nil {
		return 0, err
	}
	defer input.Close()
	var extra []*os.File
	if a.socket != nil {
		extra = append(extra, a.socket)
	}
	a.undo.Push("deleting the container", func() error { return program.Delete(a.spec.ID, a.spec.Bundle) })
	pid, err := program.Run(runtime.Container{
		ID:         a.spec.ID,
		Bundle:     place.Bundle(),
		Restore:    a.spec.Restore,
		Files:      a.spec.Bundle,
		Stdio:      [3]*os.File{input, a.console, a.console},
		Extra:      extra,
		Attributes: attributes,
	})
	a.clock.step("runtime")
	if err == nil && program.Needs().OwnAttach {
		err = a.keepAffinity(pid)
	}
	return pid, err
}

// enterGroups makes the runtime start in the sandbox's groups, unless it enters
// them itself; the affinity it inherits in both cases.
func (a *attempt) enterGroups(attributes *syscall.SysProcAttr) error {
	if a.runtime.Needs().OwnAttach {
		return a.setAffinity()
	}
	leave, err := a.attach(attributes)
	if err != nil {
		return err
	}
	a.undo.Push("leaving the control groups", leave)
	return nil
}

func (a *attempt) fillPlace(config []byte) (mounts.RuntimePlace, error) {
	top := cgroup.Top
	if !a.runtime.Needs().HiddenCgroups {
		var err error
		if top, err = mounts.Coverable(a.spec.Bundle); err != nil {
			return mounts.RuntimePlace{}, err
		}
	}
	place, err := mounts.Cover(top)
	if err != nil {
		return place, err
	}
	a.undo.Push("showing what was covered", place.Uncover)
	return place, place.Fill(a.spec.Bundle, config)
}

// enterNamespace: the stage of an ordinary user has a mount namespace already.
func (a *attempt) enterNamespace() error {
	if a.spec.Rootless == nil {
		return mounts.Separate()
	}
	if err := mounts.Private(); err != nil {
		return launch.Fail(launch.NotReady, err, "the user namespace gives no rights").
			WithRemedy("sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0")
	}
	return nil
}

// planWithGuards starts the guards of live mounts while nothing is mounted yet
// that they could hold.
func (a *attempt) planWithGuards() (mounts.Plan, error) {
	plan := a.plan()
	prepared, err := plan.PrepareLive(a.spec.ID)
	for _, mount := range prepared {
		a.undo.Push("ending the guard of a live mount", mount.Undo)
	}
	plan.Live = prepared
	return plan, err
}

func (a *attempt) plan() mounts.Plan {
	plan := mounts.Plan{
		Bundle:    a.spec.Bundle,
		Steps:     a.spec.Mounts,
		Idmap:     a.spec.Idmap,
		Namespace: a.namespace,
		Cgroups:   a.shown,
		// Without root's power over trusted attributes.
		Userxattr: a.spec.Rootless != nil,
	}
	if a.spec.Idmap != nil {
		plan.RootUID, plan.RootGID = a.spec.Idmap.RootIDs(0, 0)
	}
	return plan
}

// removeGroup ends a failed start: what a runtime left behind dies with it.
func removeGroup(group cgroup.Group) error {
	pids, err := group.Members()
	if err != nil {
		return err
	}
	for _, pid := range pids {
		if pid != os.Getpid() {
			_ = unix.Kill(pid, unix.SIGKILL)
		}
	}
	var failed []error
	for _, err := range group.Remove(time.Now().Add(groupGrace)) {
		failed = append(failed, err)
	}
	return errors.Join(failed...)
}
