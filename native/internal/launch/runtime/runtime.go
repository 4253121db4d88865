// Package runtime calls an OCI runtime.
package runtime

import (
	"os"
	"syscall"

	"cortex.dev/native/internal/launch"
)

// Runtime is an OCI runtime program in the way that the launcher uses it.
// Pausing is none of its business: the freezer of the sandbox's control group
// stops all of them alike, and is where observe looks.
type Runtime interface {
	// Needs says what start has to arrange for it.
	Needs() Needs
	// At is the same runtime with its program seen at another path.
	At(path string) Runtime
	// Run starts a container and returns its first process's pid: the one whose
	// end is the sandbox's.
	Run(Container) (int, error)
	// Delete kills what is left of a container and removes the runtime's state
	// of it. files is the folder of the log, which may be gone. What does not
	// exist is no error.
	Delete(id, files string) error
	// Knows says whether the runtime has state of a container.
	Knows(id string) bool
	// StateDir is where the runtime keeps its state of a container.
	StateDir(id string) string
}

// Checkpointing is what only some runtimes can do.
type Checkpointing interface {
	// Checkpoint writes the memory of a container, which goes on, to a folder.
	// files is the folder of the log.
	Checkpoint(id, files, image string) error
}

// Needs are the differences between the runtimes.
type Needs struct {
	// HiddenCgroups: it must not see the host's control groups.
	HiddenCgroups bool
	// OwnAttach: it enters the sandbox's control groups itself, by the name in
	// its configuration, and refuses those that have processes.
	OwnAttach bool
	// BindsSocket: it cannot hand a listening socket on: the first process binds
	// one in a folder that it shares with the host.
	BindsSocket bool
	// ReadOnlyProgram: seeing its program on a read-only mount spares it a copy.
	ReadOnlyProgram bool
	// JoinsNamespace: it can start a container in a user namespace that is there.
	JoinsNamespace bool
}

// Container is one container to start.
type Container struct {
	ID string
	// Bundle is the folder with the configuration.
	Bundle string
	// Restore is the folder of a checkpoint to go on from, or "".
	Restore string
	// Files is the folder of the runtime's log and pid file.
	Files string
	// Stdio are the container's descriptors 0, 1 and 2.
	Stdio [3]*os.File
	// Extra are those from 3 on.
	Extra []*os.File
	// Attributes are those of the runtime's process.
	Attributes *syscall.SysProcAttr
}

// New is the runtime of a specification, UNSUPPORTED when it is not known, and
// NOT_READY when it is not there.
func New(spec launch.Runtime) (Runtime, error) {
	known := map[string]struct {
		make   func(program) Runtime
		remedy string
	}{
		"crun":  {func(p program) Runtime { return crun{p} }, "sudo apt-get install -y crun"},
		"runc":  {func(p program) Runtime { return runc{p} }, "sudo apt-get install -y runc"},
		"runsc": {func(p program) Runtime { return runsc{p} }, "cortex doctor --fix"},
	}
	flavour, ok := known[spec.Flavour]
	if !ok {
		return nil, launch.Fail(launch.Unsupported, nil, "the launcher does not know the runtime %q", spec.Flavour).
			WithRemedy("use crun, runc or runsc")
	}
	runtime := program{spec.Flavour, spec.Program, spec.StateRoot, flavour.remedy}
	if _, err := os.Stat(spec.Program); err != nil {
		return nil, launch.Fail(launch.NotReady, err, "the runtime").WithRemedy(flavour.remedy)
	}
	return flavour.make(runtime), nil
}
