package cgroup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// Remove removes the groups and all below them, and the home's group when it is
// empty then. It is done again until the deadline while the kernel still counts
// processes that have just ended. What is left is told by path.
func (g Group) Remove(deadline time.Time) map[string]error {
	left := map[string]error{}
	for _, dir := range g.all() {
		if err := removeTree(dir, deadline); err != nil {
			left[dir] = err
			continue
		}
		// Fails while other sandboxes are in it.
		_ = unix.Rmdir(filepath.Dir(dir))
	}
	return left
}

func removeTree(dir string, deadline time.Time) error {
	var dirs []string
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			dirs = append(dirs, path)
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, each := range slices.Backward(dirs) {
		if err := removeOne(each, deadline); err != nil {
			return fmt.Errorf("removing %s: %w", each, err)
		}
	}
	return nil
}

func removeOne(dir string, deadline time.Time) error {
	for {
		// Not os.Remove, which would unlink as well.
		err := unix.Rmdir(dir)
		if err == nil || errors.Is(err, unix.ENOENT) {
			return nil
		}
		if !errors.Is(err, unix.EBUSY) || time.Now().After(deadline) {
			return &os.PathError{Op: "rmdir", Path: dir, Err: err}
		}
		time.Sleep(500 * time.Microsecond)
	}
}
