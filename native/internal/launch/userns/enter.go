package userns

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"

	"cortex.dev/native/internal/launch"
	"golang.org/x/sys/unix"
)

// Stage is the hidden verb by which the launcher runs itself inside a user
// namespace; the real verb and its arguments follow.
const Stage = "inside-userns"

// gate is the descriptor whose end of file tells the stage that it is mapped.
const gate = 3

// inherited are the capabilities that the stage has in its namespace, and with
// which it comes through the exec although it has no mapped user yet.
var inherited = func() []uintptr {
	caps := make([]uintptr, 0, unix.CAP_LAST_CAP+1)
	for capability := uintptr(0); capability <= unix.CAP_LAST_CAP; capability++ {
		caps = append(caps, capability)
	}
	return caps
}()

// Run runs this program again with these arguments as root of a new user
// namespace with the mapping (empty: Own), and a mount namespace of its own. It
// gives back the exit status.
func Run(mapping launch.Mapping, arguments []string, stdin io.Reader, stdout io.Writer) (int, error) {
	if len(mapping.Uids) == 0 && len(mapping.Gids) == 0 {
		var err error
		if mapping, err = Own(); err != nil {
			return 0, err
		}
	}
	read, write, err := os.Pipe()
	if err != nil {
		return 0, fmt.Errorf("making a pipe: %w", err)
	}
	defer write.Close()
	command := exec.Command("/proc/self/exe", append([]string{Stage}, arguments...)...)
	command.Stdin, command.Stdout, command.Stderr = stdin, stdout, os.Stderr
	command.ExtraFiles = []*os.File{read}
	command.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  unix.CLONE_NEWUSER | unix.CLONE_NEWNS,
		AmbientCaps: inherited,
		Pdeathsig:   unix.SIGKILL,
	}
	err = command.Start()
	_ = read.Close()
	if err != nil {
		return 0, launch.Fail(launch.NotReady, err, "an ordinary user cannot make a user namespace here").
			WithRemedy("sudo sysctl kernel.unprivileged_userns_clone=1 kernel.apparmor_restrict_unprivileged_userns=0")
	}
	if err := apply(command.Process.Pid, mapping); err != nil {
		_ = command.Process.Kill()
		_ = command.Wait()
		return 0, err
	}
	_ = write.Close()
	err = command.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Exited() {
		return exit.ExitCode(), nil
	}
	return 0, err
}

// apply runs both programs at once: each takes a few milliseconds.
func apply(pid int, mapping launch.Mapping) error {
	users := make(chan error, 1)
	go func() { users <- mapIDs("newuidmap", pid, mapping.Uids) }()
	groups := mapIDs("newgidmap", pid, mapping.Gids)
	return errors.Join(<-users, groups)
}

func mapIDs(program string, pid int, ranges []launch.IDRange) error {
	path, err := exec.LookPath(program)
	if err != nil {
		return launch.Fail(launch.NotReady, nil, "%s is missing", program).
			WithRemedy("sudo apt-get install -y uidmap")
	}
	arguments := []string{strconv.Itoa(pid)}
	for _, ids := range ranges {
		arguments = append(arguments, strconv.Itoa(int(ids.ContainerID)), strconv.Itoa(int(ids.HostID)), strconv.Itoa(int(ids.Size)))
	}
	output, err := exec.Command(path, arguments...).CombinedOutput()
	if err != nil {
		return launch.Fail(launch.NotReady, err, "%s: %s", program, strings.TrimSpace(string(output))).
			WithRemedy("the ranges must be the user's own in /etc/subuid and /etc/subgid")
	}
	return nil
}

// Entered is called first by the stage: it waits until the mapping is there and
// becomes root of the namespace.
func Entered() error {
	opened := os.NewFile(gate, "gate")
	if opened == nil {
		return errors.New("the gate is missing: this verb is not for people")
	}
	_, err := io.ReadAll(opened)
	_ = opened.Close()
	if err != nil {
		return fmt.Errorf("waiting for the mapping: %w", err)
	}
	// For every thread, as the syscall package does it.
	if err := errors.Join(syscall.Setresgid(0, 0, 0), syscall.Setgroups(nil), syscall.Setresuid(0, 0, 0)); err != nil {
		return fmt.Errorf("becoming root of the user namespace: %w", err)
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return fmt.Errorf("dropping ambient capabilities: %w", err)
	}
	return nil
}
