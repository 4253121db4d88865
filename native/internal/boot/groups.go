package boot

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"syscall"
)

// Limits are those of the sandbox, where it has a kernel of its own (gVisor): the host's control groups hold them from
// outside, and what is inside sees and meets them in groups of that kernel. 0 is no limit.
type Limits struct {
	// Memory in bytes. That kernel only shows it.
	Memory uint64
	// Processes and threads. Outside, a limit of them would meet that kernel's own threads and end the whole sandbox.
	Processes uint64
}

const (
	groupTop = "/sys/fs/cgroup"
	// groupOfSessions is beneath it, beside the neuron's own: a full limit of processes must not keep the neuron from a
	// thread.
	groupOfSessions = groupTop + "/sessions"
	groupOfNeuron   = groupTop + "/neuron"
)

// Groups are the control groups of the sandbox's own kernel, through which the neuron moves for the moment of a start.
type Groups struct{ sessions, neuron *os.File }

// makeGroups makes them and writes the limits.
func makeGroups(limits Limits) (*Groups, error) {
	for _, dir := range []string{groupOfNeuron, groupOfSessions} {
		if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("make a control group: %w", err)
		}
	}
	g := &Groups{}
	var err error
	if g.neuron, err = os.OpenFile(groupOfNeuron+"/cgroup.procs", os.O_WRONLY, 0); err != nil {
		return nil, fmt.Errorf("open a control group: %w", err)
	}
	if g.sessions, err = os.OpenFile(groupOfSessions+"/cgroup.procs", os.O_WRONLY, 0); err != nil {
		return nil, fmt.Errorf("open a control group: %w", err)
	}
	if err := g.leave(); err != nil {
		return nil, err
	}
	for _, setting := range []struct{ file, value string }{
		{"/cgroup.subtree_control", "+memory +pids"},
		{"/sessions/memory.max", most(limits.Memory)},
		{"/sessions/pids.max", most(limits.Processes - min(processesKept, limits.Processes/2))},
	} {
		if err := os.WriteFile(groupTop+setting.file, []byte(setting.value), 0); err != nil {
			return nil, fmt.Errorf("set %s: %w", setting.file, err)
		}
	}
	return g, nil
}

func most(limit uint64) string {
	if limit == 0 {
		return "max"
	}
	return strconv.FormatUint(limit, 10)
}

// Within runs start while this process is in the sessions' group, so that a child made in it is born there.
func (g *Groups) Within(start func() error) error {
	if g == nil {
		return start()
	}
	if err := enter(g.sessions); err != nil {
		return err
	}
	err := start()
	if left := g.leave(); err == nil {
		err = left
	}
	return err
}

func (g *Groups) leave() error { return enter(g.neuron) }

func enter(group *os.File) error {
	if _, err := syscall.Write(int(group.Fd()), []byte("0")); err != nil {
		return fmt.Errorf("enter a control group: %w", err)
	}
	return nil
}
