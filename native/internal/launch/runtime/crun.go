// Package runtime calls an OCI runtime.
package runtime

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"cortex.dev/native/internal/launch"
)

const (
	logName = "runtime.log"
	pidName = "runtime.pid"
	// maxWords is how much of a runtime's log goes into an error.
	maxWords = 4096
)

// Crun calls crun. Its cgroup management is off: the launcher has attached it.
type Crun struct {
	Program, StateRoot string
}

// New is the runtime of a specification, or UNSUPPORTED.
func New(spec launch.Runtime) (Crun, error) {
	if spec.Flavour != "crun" {
		return Crun{}, launch.Fail(launch.Unsupported, nil, "the launcher does not know the runtime %q", spec.Flavour).
			WithRemedy("use crun")
	}
	if _, err := os.Stat(spec.Program); err != nil {
		return Crun{}, launch.Fail(launch.NotReady, err, "the runtime").WithRemedy("sudo apt-get install -y crun")
	}
	return Crun{spec.Program, spec.StateRoot}, nil
}

// Run starts a container from the bundle and returns its first process's pid.
// files is the folder of the runtime's log and pid file. stdio are the
// container's descriptors 0, 1 and 2; extra the ones from 3.
func (c Crun) Run(id, bundle, files string, stdio [3]*os.File, extra []*os.File, attributes *syscall.SysProcAttr) (int, error) {
	if err := os.MkdirAll(c.StateRoot, 0o700); err != nil {
		return 0, fmt.Errorf("making the state folder of the runtime: %w", err)
	}
	log, pidFile := filepath.Join(files, logName), filepath.Join(files, pidName)
	arguments := []string{
		c.Program, "--root", c.StateRoot, "--log", log, "--cgroup-manager=disabled",
		"run", "--detach", "--no-new-keyring", "--preserve-fds=" + strconv.Itoa(len(extra)),
		"--pid-file", pidFile, "--bundle", bundle, id,
	}
	if err := c.call(arguments, bundle, stdio, extra, attributes, log); err != nil {
		return 0, err
	}
	data, err := os.ReadFile(pidFile)
	if err != nil {
		return 0, fmt.Errorf("reading the pid: %w", err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil || pid < 2 {
		return 0, fmt.Errorf("the runtime wrote the pid %q", data)
	}
	return pid, nil
}

// Delete kills what is left of a container and removes the runtime's state of
// it. What does not exist is no error.
func (c Crun) Delete(id, bundle string) error {
	if !c.Knows(id) {
		return nil
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	log := filepath.Join(bundle, logName)
	if _, err := os.Stat(bundle); bundle == "" || err != nil {
		log = os.DevNull
	}
	arguments := []string{c.Program, "--root", c.StateRoot, "--log", log, "--cgroup-manager=disabled", "delete", "--force", id}
	return c.call(arguments, "/", [3]*os.File{null, null, null}, nil, &syscall.SysProcAttr{}, log)
}

// Knows says whether the runtime has state of a container.
func (c Crun) Knows(id string) bool {
	_, err := os.Lstat(c.StateDir(id))
	return !errors.Is(err, fs.ErrNotExist)
}

// StateDir is where the runtime keeps its state of a container.
func (c Crun) StateDir(id string) string { return filepath.Join(c.StateRoot, id) }

func (c Crun) call(arguments []string, dir string, stdio [3]*os.File, extra []*os.File, attributes *syscall.SysProcAttr, log string) error {
	files := append(append([]*os.File{}, stdio[:]...), extra...)
	process, err := os.StartProcess(c.Program, arguments, &os.ProcAttr{
		Dir: dir, Env: []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin"}, Files: files, Sys: attributes,
	})
	if err != nil {
		return launch.Fail(launch.NotReady, err, "starting the runtime").WithRemedy("sudo apt-get install -y crun")
	}
	state, err := process.Wait()
	if err != nil {
		return fmt.Errorf("waiting for the runtime: %w", err)
	}
	if !state.Success() {
		return launch.Fail(launch.DriverFailed, nil, "crun: %s", words(log, state))
	}
	return nil
}

// words are the runtime's own, else its exit status.
func words(log string, state *os.ProcessState) string {
	data, err := os.ReadFile(log)
	if text := strings.TrimSpace(string(data)); err == nil && text != "" {
		return text[max(0, len(text)-maxWords):]
	}
	return state.String()
}
