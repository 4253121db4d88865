package start

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"cortex.dev/native/internal/launch"
	"cortex.dev/native/internal/launch/process"
	"golang.org/x/sys/unix"
)

// plain starts the first process of the driver process: in a session of its own,
// with the mark that all its descendants inherit.
func (a *attempt) plain() (int, error) {
	spec := a.spec.Process
	if err := a.mark(spec.Mark); err != nil {
		return 0, err
	}
	attributes := &syscall.SysProcAttr{Setsid: true}
	leave, err := a.attach(attributes)
	if err != nil {
		return 0, err
	}
	a.undo.Push("leaving the control groups", leave)
	a.clock.step("attach")
	null, err := os.OpenFile(os.DevNull, os.O_RDONLY, 0)
	if err != nil {
		return 0, err
	}
	defer null.Close()
	files := []*os.File{null, a.console, a.console}
	if a.socket != nil {
		files = append(files, a.socket)
	}
	started, err := os.StartProcess(spec.Argv[0], spec.Argv, &os.ProcAttr{
		Dir: spec.Cwd, Env: spec.Env, Files: files, Sys: attributes,
	})
	a.clock.step("exec")
	if err != nil {
		return 0, launch.Fail(launch.DriverFailed, err, "starting %s in %s", filepath.Base(spec.Argv[0]), spec.Cwd)
	}
	pid := started.Pid
	return pid, started.Release()
}

func (a *attempt) mark(mark uint64) error {
	var before unix.Rlimit
	if err := unix.Prlimit(0, process.RlimitLocks, nil, &before); err != nil {
		return fmt.Errorf("reading the limit that carries the mark: %w", err)
	}
	if before.Max != unix.RLIM_INFINITY {
		return launch.Fail(launch.NotReady, nil, "the hard limit of file locks is %d: a mark cannot be set", before.Max).
			WithRemedy("ulimit -H -x unlimited")
	}
	if err := unix.Prlimit(0, process.RlimitLocks, &unix.Rlimit{Cur: mark, Max: before.Max}, nil); err != nil {
		return fmt.Errorf("setting the mark: %w", err)
	}
	return nil
}
