// Package stop ends a sandbox and removes what was made for it.
package stop

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"cortex.dev/native/internal/launch"
	"cortex.dev/native/internal/launch/cgroup"
	"cortex.dev/native/internal/launch/process"
	"golang.org/x/sys/unix"
)

const (
	defaultDeadline = 10 * time.Second
	// groupGrace is how long a group stays busy after its last process ended.
	groupGrace = 2 * time.Second
)

// ending is one stop under way.
type ending struct {
	spec     launch.StopSpec
	group    *cgroup.Group
	deadline time.Time
	answer   launch.Stopped
}

// Stop ends every process of a checked specification, then removes everything
// that it names. Nothing is removed while a process lives. It can be repeated.
// The caller is locked to its thread, and does nothing else in this process.
func Stop(spec launch.StopSpec) (launch.Stopped, error) {
	began := time.Now()
	e, err := begin(spec)
	if err != nil {
		return launch.Stopped{}, err
	}
	if err := e.endProcesses(); err != nil {
		return launch.Stopped{}, err
	}
	if len(e.answer.Remaining) == 0 {
		e.removeAll()
	}
	e.answer.TotalMicros = time.Since(began).Microseconds()
	return e.answer, nil
}

// End only ends the processes.
func End(spec launch.StopSpec) (launch.Stopped, error) {
	e, err := begin(spec)
	if err != nil {
		return launch.Stopped{}, err
	}
	err = e.endProcesses()
	return e.answer, err
}

func begin(spec launch.StopSpec) (*ending, error) {
	e := &ending{spec: spec, deadline: time.Now().Add(defaultDeadline)}
	e.answer = launch.Stopped{Version: launch.Version, Remaining: []launch.Remainder{}}
	if spec.DeadlineMillis > 0 {
		e.deadline = time.Now().Add(time.Duration(spec.DeadlineMillis) * time.Millisecond)
	}
	if spec.CgroupName != "" {
		layout, err := cgroup.Find()
		if err != nil {
			return nil, err
		}
		group := layout.Of(spec.CgroupName)
		e.group = &group
	}
	return e, nil
}

// endProcesses kills the first process, whose pid namespace dies with it, and
// then whoever else is left in the groups or has the mark.
func (e *ending) endProcesses() error {
	if err := e.endFirst(); err != nil {
		return err
	}
	first, err := e.members()
	if err != nil || len(first) == 0 {
		return err
	}
	e.answer.Killed += len(first)
	if err := e.endMembers(); err != nil {
		return e.tellLeft(err)
	}
	return nil
}

func (e *ending) endFirst() error {
	boot, err := process.BootID()
	if err != nil || e.spec.Pid == 0 || boot != e.spec.BootID {
		return err
	}
	first, err := process.Hold(e.spec.Pid, e.spec.StartTime)
	if errors.Is(err, process.ErrGone) {
		return nil
	}
	if err != nil {
		return err
	}
	defer first.Close()
	if e.spec.Runtime.Kind == launch.None {
		// Its descendants are no pid namespace: they are stopped together with
		// it, lest they see it go and start others.
		return nil
	}
	e.answer.Killed++
	if err := first.Signal(unix.SIGKILL); err != nil {
		return err
	}
	// A frozen process dies when it is thawed.
	if err := e.thaw(); err != nil {
		return err
	}
	_, err = first.Wait(e.deadline)
	return err
}

// endMembers uses what the host has: cgroup.kill, else the freezer, in which
// nothing forks, else stopping and killing in passes.
func (e *ending) endMembers() error {
	if e.group != nil && !e.group.Kill() && e.group.Freeze() == nil {
		frozen, err := e.members()
		for _, pid := range frozen {
			_ = unix.Kill(pid, unix.SIGKILL)
		}
		if err := errors.Join(err, e.thaw()); err != nil {
			return err
		}
	}
	_, err := process.End(e.members, e.deadline)
	return err
}

func (e *ending) thaw() error {
	if e.group == nil {
		return nil
	}
	if err := e.group.Thaw(); err != nil {
		return fmt.Errorf("thawing the sandbox: %w", err)
	}
	return nil
}

// members lists the living processes of the sandbox, by every way to find them.
func (e *ending) members() ([]int, error) {
	var pids []int
	if e.group != nil {
		grouped, err := e.group.Members()
		if err != nil {
			return nil, err
		}
		pids = append(pids, grouped...)
	}
	if e.spec.Mark != 0 {
		marked, err := process.Marked(e.spec.Mark)
		if err != nil {
			return nil, err
		}
		pids = append(pids, marked...)
	}
	if e.spec.Runtime.Kind == launch.None && e.isFirst(e.spec.Pid) {
		pids = append(pids, e.spec.Pid)
	}
	slices.Sort(pids)
	pids = slices.Compact(pids)
	return slices.DeleteFunc(pids, func(pid int) bool { return pid == os.Getpid() || process.Ended(pid) }), nil
}

func (e *ending) isFirst(pid int) bool {
	if pid == 0 {
		return false
	}
	boot, err := process.BootID()
	if err != nil || boot != e.spec.BootID {
		return false
	}
	stat, err := process.ReadStat(pid)
	return err == nil && stat.StartTime == e.spec.StartTime && !stat.Dead()
}

func (e *ending) tellLeft(cause error) error {
	left, err := e.members()
	if err != nil {
		return err
	}
	for _, pid := range left {
		e.remains("process", fmt.Sprint(pid), cause)
	}
	return nil
}

func (e *ending) remains(kind, name string, reason error) {
	remainder := launch.Remainder{Kind: kind, Name: name}
	if reason != nil {
		remainder.Reason = reason.Error()
	}
	e.answer.Remaining = append(e.answer.Remaining, remainder)
}
