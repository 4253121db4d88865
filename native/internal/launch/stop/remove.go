package stop

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"cortex.dev/native/internal/launch"
	"cortex.dev/native/internal/launch/cgroup"
	"cortex.dev/native/internal/launch/mounts"
	"cortex.dev/native/internal/launch/runtime"
	"cortex.dev/native/internal/launch/tree"
)

// removeAll removes resource by resource, then looks again: what is told is what
// is there, not which call failed.
func (e *ending) removeAll() {
	reasons := map[string]error{}
	// The groups before the state: the runtime is called where they are hidden.
	e.removeGroups(reasons)
	e.removeState(reasons)
	for _, folder := range []string{e.spec.Bundle, e.spec.Shared} {
		if folder != "" {
			_, reasons[folder] = tree.Wipe(folder)
		}
	}
	for _, path := range []string{e.spec.Socket, e.spec.PidFile} {
		if path != "" {
			reasons[path] = removeFile(path)
		}
	}
	for kind, path := range map[string]string{"bundle": e.spec.Bundle, "shared": e.spec.Shared, "socket": e.spec.Socket, "pid_file": e.spec.PidFile} {
		if path != "" && exists(path) {
			e.remains(kind, path, reasons[path])
		}
	}
}

// removeState asks the runtime, which alone knows its state; some run on a hybrid
// host only where the control groups are hidden.
func (e *ending) removeState(reasons map[string]error) {
	if e.spec.Runtime.Kind != launch.Oci {
		return
	}
	program, err := runtime.New(e.spec.Runtime)
	if err != nil {
		// What it left lies in its state folder.
		if left := filepath.Join(e.spec.Runtime.StateRoot, e.spec.ID); exists(left) {
			e.remains("state", left, err)
		}
		return
	}
	state := program.StateDir(e.spec.ID)
	if program.Knows(e.spec.ID) {
		err = e.deleteBy(program)
	}
	reasons[state] = err
	if err != nil || program.Knows(e.spec.ID) {
		e.remains("state", state, err)
	}
}

func (e *ending) deleteBy(program runtime.Runtime) error {
	if program.Needs().HiddenCgroups {
		if err := hideCgroups(e.spec.Rootless != nil); err != nil {
			return err
		}
	}
	return program.Delete(e.spec.ID, e.spec.Bundle)
}

// hideCgroups changes the view of this thread, to which the caller is locked, for
// the rest of its life.
func hideCgroups(inStage bool) error {
	layout, err := cgroup.Find()
	if err != nil || layout.Kind != cgroup.Hybrid {
		return err
	}
	separate := mounts.Separate
	if inStage {
		separate = mounts.Private
	}
	if err := separate(); err != nil {
		return err
	}
	_, err = mounts.Cover(layout.Top)
	return err
}

func (e *ending) removeGroups(reasons map[string]error) {
	if e.group == nil || !e.group.Exists() {
		return
	}
	counters := e.group.Counters()
	e.answer.Counters = &counters
	for path, err := range e.group.Remove(time.Now().Add(groupGrace)) {
		reasons[path] = err
		e.remains("cgroup", path, err)
	}
}

func removeFile(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}
