package mounts

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"cortex.dev/native/internal/launch"
	"cortex.dev/native/internal/launch/live"
	"golang.org/x/sys/unix"
)

// nobody is the id inside of all who are not the folder's owner.
const nobody = 65534

// PrepareLive starts the guards of the plan's live mounts. The caller undoes each
// that is not mounted in the end.
func (p Plan) PrepareLive(id string) (map[int]*live.Mount, error) {
	prepared := map[int]*live.Mount{}
	for i, step := range p.Steps {
		if step.Live == nil {
			continue
		}
		mount, err := live.Prepare(id, *step.Live, live.Settings{
			UID:       p.RootUID + step.Live.UID,
			GID:       p.RootGID + step.Live.GID,
			NobodyUID: p.RootUID + nobody,
			NobodyGID: p.RootGID + nobody,
		})
		if err != nil {
			return prepared, fmt.Errorf("mount %d: %w", i, err)
		}
		prepared[i] = mount
	}
	return prepared, nil
}

func (b *builder) live(step launch.Live, mount *live.Mount) error {
	if mount == nil {
		return errors.New("a live mount was not prepared")
	}
	if err := b.ownPlace(step); err != nil {
		return err
	}
	target, err := b.target(step.Target, false)
	if err != nil {
		return err
	}
	defer unix.Close(target)
	return mount.On(target)
}

// ownPlace makes what is missing of the target in the user's home as the user's:
// the neuron makes a home only where there is none.
func (b *builder) ownPlace(step launch.Live) error {
	if step.Target != step.Home && !strings.HasPrefix(step.Target, step.Home+"/") {
		return nil
	}
	above, err := b.target(path.Dir(step.Home), false)
	if err != nil {
		return err
	}
	_ = unix.Close(above)
	root, err := unix.Open(filepath.Join(b.stage, rootfsName), unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("opening the root file system: %w", err)
	}
	defer unix.Close(root)
	return actAs(b.plan.RootUID+step.UID, b.plan.RootGID+step.GID, func() error {
		at := step.Home
		for _, name := range append([]string{""}, strings.Split(strings.TrimPrefix(step.Target, step.Home), "/")...) {
			at = path.Join(at, name)
			if err := makeOne(root, at, false); err != nil {
				return fmt.Errorf("making %s of the sandbox: %w", at, err)
			}
		}
		return nil
	})
}
