package session

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"

	"cortex.dev/native/internal/mark"
	"cortex.dev/native/internal/reap"
	"cortex.dev/native/internal/seal"
	"cortex.dev/native/internal/users"
)

// workloadScore is added to the out-of-memory score of whatever a session starts: a greedy
// workload dies before the neuron does. Half of the scale outweighs even a neuron whose rings are
// full.
const workloadScore = 500

// Spawner starts processes that are marked, more likely to be killed than the neuron, and reaped.
type Spawner struct {
	reaper *reap.Reaper
	marker *mark.Marker
	// birthplace is where children are born.
	birthplace Birthplace
	// sealed is the thread whose children cannot change their marks; those of sealedRoot, which have
	// the neuron's own user, cannot slow others down either.
	sealed, sealedRoot *seal.Starter
	score              *os.File // nil where the score cannot be set
	own                []byte
	raised             []byte
	// denySetgroups is true in a user namespace that does not allow setgroups.
	denySetgroups bool
}

// Birthplace is what this process is in while it starts a child.
type Birthplace interface {
	// Within runs start there and gives what it answers.
	Within(start func() error) error
}

// NewSpawner reads this process's own out-of-memory score. ofRoot is what the sessions of root cannot change.
func NewSpawner(reaper *reap.Reaper, marker *mark.Marker, birthplace Birthplace, ofRoot seal.Scope) *Spawner {
	s := &Spawner{reaper: reaper, marker: marker, birthplace: birthplace}
	s.sealed, _ = seal.New(seal.Marks, marker.Resource())
	s.sealedRoot, _ = seal.New(ofRoot, marker.Resource())
	if text, err := os.ReadFile("/proc/self/setgroups"); err == nil {
		s.denySetgroups = strings.TrimSpace(string(text)) == "deny"
	}
	const path = "/proc/self/oom_score_adj"
	text, err := os.ReadFile(path)
	if err != nil {
		return s
	}
	own, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return s
	}
	if s.score, err = os.OpenFile(path, os.O_WRONLY, 0); err != nil {
		s.score = nil
	}
	s.own, s.raised = strconv.AppendInt(nil, int64(own), 10), strconv.AppendInt(nil, int64(min(own+workloadScore, 1000)), 10)
	return s
}

// StopAll stops the processes of all sessions; Continue lets those go on that it stopped.
func (s *Spawner) StopAll() ([]int, error) { return s.marker.StopAll() }

// Continue lets processes go on.
func (s *Spawner) Continue(pids []int) error { return s.marker.Continue(pids) }

// AskAs names the user whose processes most sessions are.
func (s *Spawner) AskAs(u users.User) { s.marker.AskAs(u.UID, u.GID) }

// stdio are the descriptors 0, 1 and 2 of a child.
type stdio [3]uintptr

// start makes the child. The neuron's own score is raised for the moment of the fork, because a
// child that set its score only afterwards could have children before.
func (s *Spawner) start(number uint32, path string, c command, files []uintptr, terminal, switchUser bool, ended func(reap.Ended)) (int, error) {
	attributes := &syscall.ProcAttr{
		Dir:   c.directory,
		Env:   c.environment,
		Files: files,
		Sys:   &syscall.SysProcAttr{Setsid: true, Setctty: terminal},
	}
	if switchUser {
		attributes.Sys.Credential = &syscall.Credential{
			Uid: c.user.UID, Gid: c.user.GID, Groups: c.user.Groups, NoSetGroups: s.denySetgroups,
		}
	}
	return s.reaper.Start(func() (pid int, err error) {
		err = s.marker.Do(number, func() error {
			if s.score != nil {
				if _, err := s.score.WriteAt(s.raised, 0); err == nil {
					defer func() { _, _ = s.score.WriteAt(s.own, 0) }()
				}
			}
			thread := s.sealed
			if switchUser && c.user.UID == 0 {
				thread = s.sealedRoot
			}
			return s.birthplace.Within(func() (err error) {
				thread.Do(func() { pid, err = syscall.ForkExec(path, c.argv, attributes) })
				return err
			})
		})
		return pid, err
	}, ended)
}

// refusal says why a command never ran, as a shell would.
type refusal struct {
	code    int32 // 126 or 127
	message string
	denied  bool // by permissions, of the program or on the way to it
}

// startFirst tries the programs that the command may mean, in order.
func (s *Spawner) startFirst(number uint32, c command, path string, try func(path string, c command) (int, error)) (int, *refusal, error) {
	var refused *refusal
	for _, p := range c.programs(path) {
		if !p.exists {
			return 0, &refusal{code: 127, message: "no such file"}, nil
		}
		pid, err := try(p.path, c)
		if err == syscall.ENOEXEC {
			// As execvp does: a text without #! is a shell's script.
			script := c
			script.argv = append([]string{"/bin/sh", p.path}, c.argv[1:]...)
			pid, err = try("/bin/sh", script)
		}
		switch err {
		case nil:
			return pid, nil, nil
		case syscall.EACCES:
			if refused == nil {
				refused = &refusal{code: 126, message: "permission denied", denied: true}
			}
		case syscall.ENOENT, syscall.ENOTDIR:
			return 0, &refusal{code: 126, message: "its interpreter or loader is missing"}, nil
		case syscall.ENOEXEC, syscall.ETXTBSY, syscall.ELOOP, syscall.EINVAL, syscall.EIO, syscall.ENAMETOOLONG, syscall.ELIBBAD:
			return 0, &refusal{code: 126, message: err.Error()}, nil
		default:
			return 0, nil, fmt.Errorf("start %s: %w", p.path, err)
		}
	}
	if refused != nil {
		return 0, refused, nil
	}
	return 0, &refusal{code: 127, message: "command not found"}, nil
}
