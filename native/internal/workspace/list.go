package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"

	"cortex.dev/native/internal/launch"
	"golang.org/x/sys/unix"
)

// entriesMost bounds a workspace: more is no source code, and too much to compare.
const entriesMost = 1_000_000

const gitName = ".git"

// listing is what of a folder is to be copied.
type listing struct {
	checkout *checkout // nil for a plain folder
	// files and links, sorted, and the folders to make first, each after the one
	// that it lies in.
	files, folders []string
	skipped        int // sockets, pipes and devices
}

// list looks at a folder: in a checkout what git would take in, its submodules
// with it; elsewhere everything. A .git is never among it.
func list(source string) (*listing, error) {
	checkout, err := checkoutOf(source)
	if err != nil {
		return nil, err
	}
	l := &listing{checkout: checkout}
	if checkout == nil {
		err = l.walk(source, "")
	} else {
		err = l.listed(source, "")
	}
	if err != nil {
		return nil, err
	}
	sort.Strings(l.files)
	l.folders = foldersOf(l.files, l.folders)
	return l, nil
}

func (l *listing) listed(source, prefix string) error {
	g, err := gitIn(filepath.Join(source, prefix))
	if err != nil {
		return err
	}
	names, err := g.listed()
	if err != nil {
		return err
	}
	for _, name := range names {
		if name[len(name)-1] == '/' {
			name = name[:len(name)-1] // another repository, which git does not enter
		}
		if err := l.one(source, path.Join(prefix, name)); err != nil {
			return err
		}
	}
	return nil
}

func (l *listing) one(source, name string) error {
	if !filepath.IsLocal(name) || strings.HasPrefix(name, stageName+"/") {
		return nil
	}
	info, err := os.Lstat(filepath.Join(source, name))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ENOTDIR) {
		return nil // deleted, and not committed yet
	}
	if err != nil {
		return unreadable(err)
	}
	if !info.IsDir() {
		return l.add(name, info.Mode())
	}
	// A submodule or a repository in the repository, where there is one.
	if _, err := os.Lstat(filepath.Join(source, name, gitName)); err == nil {
		return l.listed(source, name)
	}
	return nil
}

func (l *listing) add(name string, mode fs.FileMode) error {
	if len(l.files) == entriesMost {
		return launch.Fail(launch.InvalidArgument, nil, "the folder has more than %d files", entriesMost).
			WithRemedy("take a folder within it, or mount it: --mount")
	}
	if mode.IsRegular() || mode&fs.ModeSymlink != 0 {
		l.files = append(l.files, name)
	} else {
		l.skipped++
	}
	return nil
}

func (l *listing) walk(source, dir string) error {
	entries, err := os.ReadDir(filepath.Join(source, dir))
	if err != nil {
		return unreadable(err)
	}
	for _, entry := range entries {
		name := path.Join(dir, entry.Name())
		if entry.Name() == gitName || entry.Name() == stageName {
			continue
		}
		if entry.IsDir() {
			l.folders = append(l.folders, name)
			if err := l.walk(source, name); err != nil {
				return err
			}
		} else if err := l.add(name, entry.Type()); err != nil {
			return err
		}
	}
	return nil
}

func unreadable(err error) error {
	return launch.Fail(launch.InvalidArgument, err, "the folder cannot be copied whole").
		WithRemedy("make it readable, or take a folder within it")
}

// foldersOf adds the folders of files to those that are known.
func foldersOf(files, known []string) []string {
	seen := map[string]bool{"": true, ".": true}
	var all []string
	var note func(dir string)
	note = func(dir string) {
		if seen[dir] {
			return
		}
		note(path.Dir(dir))
		seen[dir] = true
		all = append(all, dir)
	}
	for _, dir := range known {
		note(dir)
	}
	for _, file := range files {
		note(path.Dir(file))
	}
	return all
}
