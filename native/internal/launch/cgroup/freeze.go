package cgroup

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Frozen says whether all of the sandbox stands still, not whether it was asked
// to. A group that does not exist is not frozen.
func (g Group) Frozen() (bool, error) {
	dir, ok := g.freezerDir()
	if !ok {
		return false, nil
	}
	if g.layout.Kind == V2 {
		return field(dir, "cgroup.events", "frozen") == 1, nil
	}
	data, err := os.ReadFile(filepath.Join(dir, "freezer.state"))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return string(bytes.TrimSpace(data)) == "FROZEN", err
}

// CanFreeze says whether there is a group with a freezer.
func (g Group) CanFreeze() bool {
	dir, ok := g.freezerDir()
	if !ok {
		return false
	}
	_, err := os.Lstat(dir)
	return err == nil
}

// Freeze and Thaw ask the kernel to stop and continue all processes of the
// group; a group that does not exist is no error.
func (g Group) Freeze() error { return g.setFrozen("FROZEN", "1") }

// Thaw is the reverse of Freeze.
func (g Group) Thaw() error { return g.setFrozen("THAWED", "0") }

func (g Group) setFrozen(v1, v2 string) error {
	dir, ok := g.freezerDir()
	if !ok {
		return nil
	}
	err := writeExisting(filepath.Join(dir, "freezer.state"), v1)
	if g.layout.Kind == V2 {
		err = writeExisting(filepath.Join(dir, "cgroup.freeze"), v2)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Kill kills every process of the group at once, where the kernel can: on v2
// since 5.14. false: it cannot, or there is no group.
func (g Group) Kill() bool {
	return g.layout.Kind == V2 && writeExisting(filepath.Join(g.dirs()[0].Root, "cgroup.kill"), "1") == nil
}

func (g Group) freezerDir() (string, bool) {
	for _, dir := range g.dirs() {
		if g.layout.Kind == V2 || dir.Has("freezer") {
			return dir.Root, true
		}
	}
	return "", false
}
