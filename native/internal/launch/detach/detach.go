// Package detach starts a program that outlives whoever asked for it.
package detach

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"cortex.dev/native/internal/launch"
)

// Start starts a program in a session of its own and returns its pid. Its input
// is /dev/null; its output is appended to log (mode 0600), or thrown away when
// log is empty. It keeps the caller's environment and working directory.
func Start(argv []string, log string) (int, error) {
	program, err := exec.LookPath(argv[0])
	if err != nil {
		return 0, launch.Fail(launch.NotFound, err, "finding the program")
	}
	input, err := os.Open(os.DevNull)
	if err != nil {
		return 0, err
	}
	defer input.Close()
	output, err := openLog(log)
	if err != nil {
		return 0, err
	}
	defer output.Close()
	process, err := os.StartProcess(program, argv, &os.ProcAttr{
		Env:   os.Environ(),
		Files: []*os.File{input, output, output},
		Sys:   &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		return 0, launch.Fail(launch.DriverFailed, err, "starting %s", program)
	}
	pid := process.Pid
	return pid, process.Release()
}

func openLog(path string) (*os.File, error) {
	if path == "" {
		return os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening the log: %w", err)
	}
	return file, nil
}
