package probe

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"cortex.dev/native/internal/launch"
)

// OldestGvisor is the release that is pinned in native/tools, as a date. Older
// ones lack what the launcher asks for, and are not tested.
const OldestGvisor = 20260905

// trialWithin is ten times what a trial takes on a busy machine.
const trialWithin = 5 * time.Second

var releaseDate = regexp.MustCompile(`20[0-9]{6}`)

// judgeGvisor runs a program in it: the file alone proves nothing, since a kernel
// may not let it trap system calls.
func judgeGvisor(runtime *launch.ProbedRuntime) {
	if os.Geteuid() != 0 {
		runtime.Problem = "gVisor is used by a daemon of root only"
		return
	}
	date, _ := strconv.Atoi(releaseDate.FindString(runtime.RuntimeVersion))
	if date < OldestGvisor {
		runtime.Problem = fmt.Sprintf("%s is %q; it takes a release of %d or newer", runtime.Path, runtime.RuntimeVersion, OldestGvisor)
		return
	}
	if err := tryGvisor(runtime.Path); err != nil {
		runtime.Problem = "a trial of gVisor failed: " + err.Error()
	}
}

func tryGvisor(path string) error {
	root, err := os.MkdirTemp("", "gvisor-trial-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(root)
	ctx, cancel := context.WithTimeout(context.Background(), trialWithin)
	defer cancel()
	command := exec.CommandContext(ctx, path, "--root", root, "--platform=systrap", "--network=none", "--gofer-network-namespace=new",
		"--ignore-cgroups", "--host-settings=ignore", "do", "--quiet", "true")
	// Its children too end with the trial.
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
	words, err := command.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, lastLine(words))
	}
	return nil
}

func lastLine(words []byte) string {
	lines := strings.Split(strings.TrimSpace(string(words)), "\n")
	return lines[len(lines)-1]
}
