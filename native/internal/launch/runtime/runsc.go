package runtime

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"cortex.dev/native/internal/launch"
)

// runsc is gVisor: a kernel in user space. It takes part in the sandbox's groups
// as crun does, by being started in them.
type runsc struct{ program }

// runscGlobal: the system-call trap that needs no KVM; no network stack and so no
// way out; sockets that a first process binds in a shared folder are the host's,
// and none of the host's can be opened; writes go to the overlay that the launcher
// mounted, not to one in memory; the groups are the launcher's.
var runscGlobal = []string{
	"--platform=systrap", "--network=none", "--host-uds=create", "--overlay2=none", "--ignore-cgroups",
	"--oci-seccomp", "--in-sandbox-cgroup=v2", "--gofer-network-namespace=new", "--host-settings=ignore",
}

// runscName is what gVisor calls every container: each has a state folder of its
// own. It goes into the name of a socket there, whose path must be short.
const runscName = "sandbox"

// longestRoot is what a socket's path leaves for the state folder. In a longer
// one gVisor would put the socket into a folder that all sandboxes share.
const longestRoot = 107 - len("/runsc-"+runscName+".sock")

func (r runsc) Needs() Needs { return Needs{BindsSocket: true} }

func (r runsc) At(path string) Runtime { return runsc{r.at(path)} }

func (r runsc) Run(container Container) (int, error) {
	if len(r.stateRoot) > longestRoot {
		return 0, launch.Fail(launch.InvalidArgument, nil, "the state folder %s is too long for runsc: %d bytes, %d at most",
			r.stateRoot, len(r.stateRoot), longestRoot).
			WithRemedy("set XDG_RUNTIME_DIR to a shorter folder of yours")
	}
	container.ID = runscName
	return r.run(container, runscGlobal, nil)
}

func (r runsc) Delete(_, files string) error {
	if !r.Knows(runscName) {
		return nil
	}
	var failed error
	if exists(r.stateFile()) {
		failed = r.delete(runscName, files, runscGlobal)
	}
	return errors.Join(failed, os.RemoveAll(r.stateRoot))
}

func (r runsc) Knows(string) bool {
	entries, err := os.ReadDir(r.stateRoot)
	return len(entries) > 0 || (err != nil && !errors.Is(err, fs.ErrNotExist))
}

func (r runsc) StateDir(string) string { return r.stateRoot }

func (r runsc) stateFile() string {
	return filepath.Join(r.stateRoot, runscName+"_sandbox:"+runscName+".state")
}

// Checkpoint writes uncompressed pages: a restore reads them as they are. Left
// running, since a container that is not ends also when its checkpoint fails.
func (r runsc) Checkpoint(_, files, image string) error {
	return r.quietly(runscName, files, runscGlobal, "checkpoint", "--image-path", image, "--compression=none", "--leave-running")
}
