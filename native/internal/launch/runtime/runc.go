package runtime

import "strconv"

// runc always makes and enters control groups: those of the sandbox, which exist
// with their limits, and on v1 one in each other hierarchy. It has no way to
// leave that to its caller, and from 1.2 on refuses groups with processes.
type runc struct{ program }

func (r runc) Needs() Needs { return Needs{OwnAttach: true} }

func (r runc) At(path string) Runtime { return runc{r.at(path)} }

func (r runc) Run(container Container) (int, error) {
	return r.run(container, nil,
		[]string{"--no-new-keyring", "--preserve-fds=" + strconv.Itoa(len(container.Extra))})
}

func (r runc) Delete(id, files string) error {
	if !r.Knows(id) {
		return nil
	}
	return r.delete(id, files, nil)
}
