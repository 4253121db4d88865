package workspace

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"cortex.dev/native/internal/launch"
	"golang.org/x/sys/unix"
)

// git runs the host's git in a checkout of the host's, as the owner of the
// folder, and with nothing switched on that a repository could make it run.
type git struct {
	dir    string
	env    []string
	who    *syscall.Credential
	within time.Duration
}

// gitWithin is ten times what listing a million files takes. Only a git that waits for something takes longer: for a
// network that is gone, or a pipe that somebody put in the place of a file.
const gitWithin = 2 * time.Minute

// quiet are settings that go before any of the repository's.
var quiet = []string{
	"-c", "core.fsmonitor=false",
	"-c", "core.hooksPath=/dev/null",
	"-c", "safe.directory=*", // named by its user, and read without running anything
	"-c", "gc.auto=0",
	"-c", "maintenance.auto=false",
	"-c", "core.pager=cat",
}

func gitIn(dir string) (*git, error) {
	if _, err := exec.LookPath("git"); err != nil {
		return nil, launch.Fail(launch.NotReady, nil, "git is missing, and %s is a git checkout", dir).
			WithRemedy("sudo apt-get install -y git")
	}
	var stat unix.Stat_t
	if err := unix.Stat(dir, &stat); err != nil {
		return nil, &os.PathError{Op: "stat", Path: dir, Err: err}
	}
	uid := os.Geteuid()
	g := &git{dir: dir, within: gitWithin}
	if uid == 0 && stat.Uid != 0 && stat.Uid != overflow {
		uid = int(stat.Uid)
		g.who = &syscall.Credential{Uid: stat.Uid, Gid: stat.Gid}
	}
	g.env = append(os.Environ(), "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C", "HOME="+homeOf(uid))
	return g, nil
}

// overflow is the id of whom a user namespace does not know.
const overflow = 65534

// homeOf is where the user's own git configuration lies, with names to commit by
// and patterns to ignore. The root of an ordinary user's namespace is that user.
func homeOf(uid int) string {
	if home := os.Getenv("HOME"); home != "" && uid == os.Geteuid() {
		return home
	}
	if found, err := user.LookupId(strconv.Itoa(uid)); err == nil {
		return found.HomeDir
	}
	return "/nonexistent"
}

// run gives standard output, without the newline at its end.
func (g *git) run(stdin []byte, words ...string) (string, error) {
	output, err := g.bytes(stdin, nil, words...)
	return strings.TrimRight(string(output), "\n"), err
}

func (g *git) bytes(stdin []byte, env []string, words ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), g.within)
	defer cancel()
	command := exec.CommandContext(ctx, "git", append(append([]string{}, quiet...), words...)...)
	command.Dir = g.dir
	command.Env = append(append([]string{}, g.env...), env...)
	command.Stdin = bytes.NewReader(stdin)
	var complaint bytes.Buffer
	command.Stderr = &complaint
	command.SysProcAttr = &syscall.SysProcAttr{Credential: g.who, Pdeathsig: syscall.SIGKILL}
	command.WaitDelay = time.Second // for whoever else holds its output
	output, err := command.Output()
	if ctx.Err() != nil {
		return nil, launch.Fail(launch.Deadline, nil, "git %s in %s did not end within %s", words[0], g.dir, g.within).
			WithRemedy("see what it waits for: git -C " + g.dir + " status")
	}
	if err != nil {
		said := strings.TrimSpace(complaint.String())
		if said == "" {
			said = err.Error()
		}
		return nil, launch.Fail(launch.DriverFailed, nil, "git %s: %s", words[0], said)
	}
	return output, nil
}

// checkout is a git checkout of the host.
type checkout struct {
	*git
	// top is its root; dir and common are absolute paths of its .git and of what
	// several work trees share.
	top, gitDir, common string
	// head is its commit, empty before the first.
	head string
}

// checkoutOf gives the checkout that a folder belongs to, nil when there is none.
func checkoutOf(folder string) (*checkout, error) {
	if !belongs(folder) {
		return nil, nil
	}
	g, err := gitIn(folder)
	if err != nil {
		return nil, err
	}
	answer, err := g.run(nil, "rev-parse", "--path-format=absolute", "--show-toplevel", "--git-dir", "--git-common-dir")
	lines := strings.Split(answer, "\n")
	if err != nil || len(lines) != 3 {
		return nil, launch.Fail(launch.InvalidArgument, err, "the git checkout of %s cannot be read", folder).
			WithRemedy("see: git -C " + folder + " status")
	}
	c := &checkout{git: g, top: lines[0], gitDir: lines[1], common: lines[2]}
	if head, err := g.run(nil, "rev-parse", "--verify", "--quiet", "HEAD^{commit}"); err == nil {
		c.head = head
	}
	return c, nil
}

// belongs looks upwards for a .git, as git does.
func belongs(folder string) bool {
	for at := folder; ; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return true
		}
		if at == "/" {
			return false
		}
	}
}

// listed are the paths beneath a folder of a checkout that git knows or would
// take in, deleted ones too.
func (g *git) listed() ([]string, error) {
	output, err := g.bytes(nil, nil, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	if err != nil {
		return nil, err
	}
	var paths []string
	last := ""
	for name := range strings.SplitSeq(string(output), "\x00") {
		// A conflict has a name up to three times.
		if name != "" && name != last {
			paths = append(paths, name)
		}
		last = name
	}
	return paths, nil
}

// excludes are the patterns that hold beside the .gitignore files.
func (c *checkout) excludes() [][]byte {
	var found [][]byte
	own, err := c.run(nil, "config", "--path", "core.excludesFile")
	if err != nil || own == "" {
		own = ""
		for _, variable := range c.env {
			if home, ok := strings.CutPrefix(variable, "HOME="); ok {
				own = filepath.Join(home, ".config/git/ignore")
			}
		}
	}
	for _, file := range []string{own, filepath.Join(c.common, "info/exclude")} {
		content, err := os.ReadFile(file)
		if err == nil && len(content) <= ignoreBytes {
			found = append(found, content)
		} else if err != nil && !errors.Is(err, os.ErrNotExist) {
			continue
		}
	}
	return found
}
