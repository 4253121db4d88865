package runtime

import (
	"encoding/json"
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

// program is what all runtimes have in common: the command line that grew out of
// runc's.
type program struct {
	flavour, path, stateRoot, remedy string
}

func (p program) at(path string) program {
	p.path = path
	return p
}

func (p program) Knows(id string) bool { return exists(p.StateDir(id)) }

func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

func (p program) StateDir(id string) string { return filepath.Join(p.stateRoot, id) }

// run starts a container: global are the options before the verb, options those
// behind it.
func (p program) run(c Container, global, options []string) (int, error) {
	if err := os.MkdirAll(p.stateRoot, 0o700); err != nil {
		return 0, fmt.Errorf("making the state folder of the runtime: %w", err)
	}
	log, pidFile := filepath.Join(c.Files, logName), filepath.Join(c.Files, pidName)
	arguments := append(p.begin(log), global...)
	verb := "run"
	if c.Restore != "" {
		verb = "restore"
		options = append([]string{"--image-path", c.Restore}, options...)
	}
	arguments = append(arguments, verb, "--detach", "--pid-file", pidFile, "--bundle", c.Bundle)
	arguments = append(append(arguments, options...), c.ID)
	if err := p.call(arguments, c, log); err != nil {
		return 0, err
	}
	return readPid(pidFile)
}

func readPid(file string) (int, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return 0, fmt.Errorf("reading the pid: %w", err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil || pid < 2 {
		return 0, fmt.Errorf("the runtime wrote the pid %q", data)
	}
	return pid, nil
}

func (p program) delete(id, files string, global []string) error {
	return p.quietly(id, files, global, "delete", "--force")
}

// quietly calls the runtime about a container that exists.
func (p program) quietly(id, files string, global []string, verb ...string) error {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	log := filepath.Join(files, logName)
	if _, err := os.Stat(files); files == "" || err != nil {
		log = os.DevNull
	}
	arguments := append(append(append(p.begin(log), global...), verb...), id)
	quiet := Container{ID: id, Bundle: "/", Stdio: [3]*os.File{null, null, null}, Attributes: &syscall.SysProcAttr{}}
	return p.call(arguments, quiet, log)
}

func (p program) begin(log string) []string {
	return []string{p.path, "--root", p.stateRoot, "--log", log}
}

func (p program) call(arguments []string, c Container, log string) error {
	process, err := os.StartProcess(p.path, arguments, &os.ProcAttr{
		Dir:   c.Bundle,
		Env:   []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin"},
		Files: append(append([]*os.File{}, c.Stdio[:]...), c.Extra...),
		Sys:   c.Attributes,
	})
	if err != nil {
		return launch.Fail(launch.NotReady, err, "starting the runtime").WithRemedy(p.remedy)
	}
	state, err := process.Wait()
	if err != nil {
		return fmt.Errorf("waiting for the runtime: %w", err)
	}
	if !state.Success() {
		return launch.Fail(launch.DriverFailed, nil, "%s: %s", p.flavour, words(log, state))
	}
	return nil
}

// words are the runtime's own, else its exit status.
func words(log string, state *os.ProcessState) string {
	data, err := os.ReadFile(log)
	text := strings.TrimSpace(string(data))
	if err != nil || text == "" {
		return state.String()
	}
	lines := strings.Split(text, "\n")
	var structured struct {
		Message string `json:"msg"`
	}
	if json.Unmarshal([]byte(lines[len(lines)-1]), &structured) == nil && structured.Message != "" {
		// What follows the first line is the runtime's own stack.
		first, _, _ := strings.Cut(structured.Message, "\n")
		return first[:min(len(first), maxWords)]
	}
	return text[max(0, len(text)-maxWords):]
}
