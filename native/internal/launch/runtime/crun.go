package runtime

import "strconv"

// crun's own cgroup management is off: the launcher has attached it. It refuses
// a host that has v1 and v2 at once even so, hence hidden groups.
type crun struct{ program }

var crunGlobal = []string{"--cgroup-manager=disabled"}

func (c crun) Needs() Needs {
	return Needs{HiddenCgroups: true, ReadOnlyProgram: true, JoinsNamespace: true}
}

func (c crun) At(path string) Runtime { return crun{c.at(path)} }

func (c crun) Run(container Container) (int, error) {
	return c.run(container, crunGlobal,
		[]string{"--no-new-keyring", "--preserve-fds=" + strconv.Itoa(len(container.Extra))})
}

func (c crun) Delete(id, files string) error {
	if !c.Knows(id) {
		return nil
	}
	return c.delete(id, files, crunGlobal)
}
