package workspace

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"sort"
	"strings"
	"time"

	"cortex.dev/native/internal/launch"
	"golang.org/x/sys/unix"
)

const (
	// contentMost bounds what is read of one file of a sandbox; a larger one that
	// changed is refused by name.
	contentMost = 256 << 20
	// changedMost bounds all contents that are held at once.
	changedMost = 1 << 30
	// deepest is how far down folders are entered.
	deepest = 200
	// racy: a file that was changed within that time of the copy's end may bear
	// the same time as the copy, and is read.
	racy = 100 * time.Millisecond
)

// State is what a path is at one of the sides; the zero value: nothing.
type State struct {
	Kind       string
	Executable bool
	Content    []byte // of a file; of a link: its target
}

func (s State) absent() bool { return s.Kind == "" }

func (s State) same(o State) bool {
	return s.Kind == o.Kind && s.Executable == o.Executable && string(s.Content) == string(o.Content)
}

// Change is a path that the sandbox left otherwise than it was copied.
type Change struct {
	Path     string
	Old, New State
	// seen is the entry that the base has once the change was taken over.
	seen Entry
}

// Kind in one word.
func (c Change) Kind() string {
	switch {
	case c.Old.absent():
		return "added"
	case c.New.absent():
		return "deleted"
	case c.Old.Kind != c.New.Kind:
		return "replaced"
	case string(c.Old.Content) == string(c.New.Content):
		return "mode"
	default:
		return "modified"
	}
}

// scanning walks over a copy, which may be in use meanwhile.
type scanning struct {
	base    *Base
	tree    *tree
	index   map[string]int
	folders map[string]bool // that hold something of the base
	only    []string        // paths that are asked for; empty: all
	seen    []bool
	entries int
	held    int64
	changes []Change
	// skipped are sockets, pipes and devices.
	skipped int
}

// changesOf finds all changes of a workspace, sorted by path.
func changesOf(place Place, base *Base, only []string) (*scanning, error) {
	copied, err := openCopy(place)
	if err != nil {
		return nil, err
	}
	defer copied.close()
	s := &scanning{base: base, tree: copied, index: base.byPath(), folders: map[string]bool{}, only: only}
	s.seen = make([]bool, len(base.Entries))
	for _, e := range base.Entries {
		for dir := path.Dir(string(e.Path)); dir != "." && !s.folders[dir]; dir = path.Dir(dir) {
			s.folders[dir] = true
		}
	}
	var above *ignoring
	if base.Git {
		for _, text := range base.Excludes {
			above = &ignoring{above: above, patterns: parseIgnore(text)}
		}
	}
	if err := s.walk("", above, false, 0); err != nil {
		return nil, err
	}
	if err := s.missing(); err != nil {
		return nil, err
	}
	sort.Slice(s.changes, func(i, j int) bool { return s.changes[i].Path < s.changes[j].Path })
	return s, nil
}

// openCopy opens the copy beneath the disk: the sandbox may have put a link there.
func openCopy(place Place) (*tree, error) {
	disk, err := openTree(place.Disk)
	if err != nil {
		return nil, fmt.Errorf("opening the disk: %w", err)
	}
	defer disk.close()
	fd, err := disk.open(place.Folder, unix.O_PATH|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, launch.Fail(launch.NotFound, err, "the workspace is no folder any more").
			WithRemedy("its files were moved or removed inside; the base is kept")
	}
	return &tree{fd}, nil
}

func (s *scanning) walk(dir string, above *ignoring, ignored bool, depth int) error {
	entries, err := s.tree.names(dir)
	if err != nil {
		return s.gone(err)
	}
	if depth > deepest {
		return launch.Fail(launch.InvalidArgument, nil, "the workspace has folders in folders, more than %d deep", deepest).
			WithRemedy("remove what made them: cortex exec NAME -- rm -r …")
	}
	if s.base.Git && !ignored {
		above = s.ignoreFile(dir, entries, above)
	}
	for _, entry := range entries {
		if s.entries++; s.entries > 2*entriesMost {
			return launch.Fail(launch.InvalidArgument, nil, "the workspace has more than %d files", 2*entriesMost).
				WithRemedy("remove what is not needed, or compare a part: cortex diff NAME -- PATH")
		}
		// Of whatever repository: what is in it is not the workspace's work, and could
		// run on the host.
		if strings.EqualFold(entry.Name(), gitName) {
			continue
		}
		// At the host's place lies what would take an apply back.
		if dir == "" && entry.Name() == stageName {
			continue
		}
		name := path.Join(dir, entry.Name())
		if err := s.entry(name, entry, above, ignored, depth); err != nil {
			return err
		}
	}
	return nil
}

// ignoreFile adds the patterns of a folder's own .gitignore.
func (s *scanning) ignoreFile(dir string, entries []os.DirEntry, above *ignoring) *ignoring {
	for _, entry := range entries {
		if entry.Name() != ".gitignore" || !entry.Type().IsRegular() {
			continue
		}
		file, _, err := s.tree.file(path.Join(dir, ".gitignore"))
		if err != nil {
			return above
		}
		defer file.Close()
		text, err := io.ReadAll(io.LimitReader(file, ignoreBytes))
		if err != nil {
			return above
		}
		prefix := ""
		if dir != "" {
			prefix = dir + "/"
		}
		return &ignoring{above: above, prefix: prefix, patterns: parseIgnore(text)}
	}
	return above
}

func (s *scanning) entry(name string, entry os.DirEntry, above *ignoring, ignored bool, depth int) error {
	known, isKnown := s.index[name]
	if entry.IsDir() {
		ignored = ignored || above.ignores(name, true)
		if ignored && !s.folders[name] || !s.asked(name, true) {
			return nil
		}
		return s.walk(name, above, ignored, depth+1)
	}
	if !s.asked(name, false) {
		return nil
	}
	if isKnown {
		return s.known(name, known)
	}
	if ignored || above.ignores(name, false) {
		return nil
	}
	now, seen, err := s.now(name)
	if err != nil || now.absent() {
		return err
	}
	return s.add(Change{Path: name, New: now, seen: seen})
}

// asked: a path itself, what lies beneath it and what leads to it.
func (s *scanning) asked(name string, folder bool) bool {
	if len(s.only) == 0 {
		return true
	}
	for _, only := range s.only {
		if name == only || only == "." || strings.HasPrefix(name, only+"/") || folder && strings.HasPrefix(only, name+"/") {
			return true
		}
	}
	return false
}

func (s *scanning) known(name string, index int) error {
	e := s.base.Entries[index]
	stat, err := s.tree.stat(name)
	if err != nil {
		return s.gone(err)
	}
	s.seen[index] = true
	untouched := stat.Ino == e.Inode && changedAt(&stat) == e.Changed
	if untouched && e.Changed < s.base.Made.Add(-racy).UnixNano() {
		return nil
	}
	now, seen, err := s.now(name)
	if err != nil {
		return err
	}
	old, err := s.old(e)
	if err != nil || old.same(now) {
		return err
	}
	return s.add(Change{Path: name, Old: old, New: now, seen: seen})
}

func (s *scanning) old(e Entry) (State, error) {
	content, err := s.base.read(e)
	return State{Kind: e.Kind, Executable: e.Executable, Content: content}, err
}

// now reads what a path is in the copy; nothing when it went meanwhile or is
// neither file nor link.
func (s *scanning) now(name string) (State, Entry, error) {
	file, stat, err := s.tree.file(name)
	switch {
	case errors.Is(err, unix.ELOOP):
		target, err := s.tree.link(name)
		if err != nil {
			return State{}, Entry{}, s.gone(err)
		}
		stat, err := s.tree.stat(name)
		return State{Kind: symlink, Content: target}, entryOf(name, symlink, false, &stat), s.gone(err)
	case errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENXIO), errors.Is(err, unix.ENODEV):
		s.skipped++
		return State{}, Entry{}, nil
	case err != nil:
		return State{}, Entry{}, s.gone(err)
	}
	defer file.Close()
	content, err := s.content(file, name, stat.Size)
	executable := stat.Mode&0o100 != 0
	return State{Kind: regular, Executable: executable, Content: content}, entryOf(name, regular, executable, &stat), err
}

func entryOf(name, kind string, executable bool, stat *unix.Stat_t) Entry {
	return Entry{Path: []byte(name), Kind: kind, Executable: executable, Inode: stat.Ino, Changed: changedAt(stat)}
}

func (s *scanning) content(file *os.File, name string, size int64) ([]byte, error) {
	if size > contentMost || s.held+size > changedMost {
		return nil, launch.Fail(launch.InvalidArgument, nil, "%q has %d bytes, and changes of more than %d MiB a file or %d MiB in all are not compared",
			name, size, contentMost>>20, changedMost>>20).
			WithRemedy("copy it by itself: cortex cp NAME:FILE …   and leave it out: cortex diff NAME -- PATH…")
	}
	content := make([]byte, size)
	n, err := io.ReadFull(file, content)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil // it became shorter
	}
	return content[:n], err
}

func (s *scanning) add(c Change) error {
	s.held += int64(len(c.Old.Content) + len(c.New.Content))
	s.changes = append(s.changes, c)
	return nil
}

// missing are the files of the base that are not there any more.
func (s *scanning) missing() error {
	for i, e := range s.base.Entries {
		name := string(e.Path)
		if s.seen[i] || !s.asked(name, false) {
			continue
		}
		old, err := s.old(e)
		if err != nil {
			return err
		}
		if err := s.add(Change{Path: name, Old: old}); err != nil {
			return err
		}
	}
	return nil
}

// gone: the copy changes while it is read, which is no failure of ours.
func (s *scanning) gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ELOOP) || errors.Is(err, unix.EXDEV) {
		return nil
	}
	return err
}
