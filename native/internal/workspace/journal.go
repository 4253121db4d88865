package workspace

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strconv"
	"syscall"

	"cortex.dev/native/internal/launch"
	wiping "cortex.dev/native/internal/launch/tree"
	"golang.org/x/sys/unix"
)

// stageName is a folder in the host's folder, on its file system, while changes
// are applied. It holds the journal and a slot for each file that comes or goes:
// every step is one rename between a slot and the file's place, so that the inode
// in the slot tells whether the step was done.
const (
	stageName   = ".cortex-apply"
	journalName = "journal"
)

// step is one rename, or a folder that is made or removed.
type step struct {
	Kind string `json:"kind"`
	Path []byte `json:"path"`
	// Slot of the file in the stage.
	Slot int `json:"slot,omitempty"`
	// New is the inode of what comes.
	New uint64 `json:"new,omitempty"`
	// old is what it replaces, as it was when it was compared.
	old unix.Stat_t
}

// Kinds of steps.
const (
	adding    = "add"
	replacing = "replace"
	removing  = "remove"
	making    = "make"   // a folder
	unmaking  = "unmake" // an emptied folder
)

// journal is the stage of one folder, held by one process at a time.
type journal struct {
	host   *tree
	folder string
	lock   *os.File
	stage  *tree
	steps  []step
	done   int
	slots  int
	made   map[string]bool
}

// openJournal takes the folder's lock.
func openJournal(folder string, host *tree) (*journal, error) {
	fd, err := host.open("", unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	lock := os.NewFile(uintptr(fd), folder)
	if err := unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB); err != nil {
		_ = lock.Close()
		return nil, launch.Fail(launch.Busy, err, "changes are being applied to %s already", folder).WithRemedy("try again in a moment")
	}
	return &journal{host: host, folder: folder, lock: lock, made: map[string]bool{}}, nil
}

func (j *journal) close() {
	if j.stage != nil {
		j.stage.close()
	}
	_ = j.lock.Close()
}

func (j *journal) stagePath() string { return filepath.Join(j.host.path(), stageName) }

func (j *journal) openStage() error {
	fd, err := j.host.open(stageName, unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err == nil {
		j.stage = &tree{fd}
	}
	return err
}

// undo takes back what an apply that was cut off had done. undone: there was one.
func (j *journal) undo(onlyLook bool) (undone bool, err error) {
	if err := j.openStage(); errors.Is(err, unix.ENOENT) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	text, err := os.ReadFile(filepath.Join(j.stagePath(), journalName))
	if errors.Is(err, os.ErrNotExist) {
		// Nothing was touched yet, or everything is done.
		return false, j.remove()
	}
	if err != nil {
		return false, err
	}
	if onlyLook {
		return false, launch.Fail(launch.NotReady, nil, "an earlier apply to %s was cut off", j.folder).
			WithRemedy("cortex apply without --check takes it back, and applies anew")
	}
	if err := json.Unmarshal(text, &j.steps); err != nil {
		return false, fmt.Errorf("the journal of an earlier apply is damaged: %w", err)
	}
	j.done = len(j.steps)
	if err := j.back(); err != nil {
		return false, j.kept(err)
	}
	return true, j.remove()
}

// do applies everything or nothing.
func (j *journal) do(puts []put, removes map[string]unix.Stat_t) error {
	if err := j.begin(); err != nil {
		return err
	}
	err := j.prepare(puts, removes)
	if err == nil {
		err = j.write()
	}
	for err == nil && j.done < len(j.steps) {
		if err = j.forward(j.steps[j.done]); err == nil {
			j.done++
		}
	}
	if err == nil {
		return j.remove()
	}
	if kept := j.back(); kept != nil {
		return errors.Join(err, j.kept(kept))
	}
	return errors.Join(err, j.remove())
}

// kept: what could not be taken back is not thrown away.
func (j *journal) kept(err error) error {
	return launch.Fail(launch.DriverFailed, err, "%s is between two states; what was there is in %s", j.folder, filepath.Join(j.folder, stageName)).
		WithRemedy("make its folders writable, then apply again: that takes everything back first")
}

func (j *journal) begin() error {
	err := j.host.in(stageName, func(parent int, base string) error { return unix.Mkdirat(parent, base, 0o700) })
	if err != nil {
		return launch.Fail(launch.NotReady, err, "nothing can be written to %s", j.folder).WithRemedy("look at its owner and mode: ls -ld " + j.folder)
	}
	if err := j.openStage(); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(j.stagePath(), ".gitignore"), []byte("*\n"), 0o600)
}

// prepare writes what comes to its slots, and orders the steps: what goes first,
// then folders that are empty by that, then folders and files that come.
func (j *journal) prepare(puts []put, removes map[string]unix.Stat_t) error {
	owner, err := j.owner()
	if err != nil {
		return err
	}
	gone := make([]string, 0, len(removes))
	for name := range removes {
		gone = append(gone, name)
	}
	sort.Strings(gone)
	for _, name := range gone {
		j.steps = append(j.steps, step{Kind: removing, Path: []byte(name), Slot: j.slot(), old: removes[name]})
	}
	j.emptied(gone)
	for _, p := range puts {
		j.folders(path.Dir(p.path))
		next := step{Kind: adding, Path: []byte(p.path), Slot: j.slot(), old: p.over}
		if p.over.Ino != 0 {
			next.Kind = replacing
		}
		if next.New, err = j.fill(next.Slot, p, owner); err != nil {
			return err
		}
		j.steps = append(j.steps, next)
	}
	return nil
}

func (j *journal) slot() int { j.slots++; return j.slots }

// owner of the folder, to whom what comes belongs.
func (j *journal) owner() (unix.Stat_t, error) {
	var stat unix.Stat_t
	err := unix.Fstat(int(j.lock.Fd()), &stat)
	return stat, err
}

// emptied adds the folders in which nothing is left, the deepest first.
func (j *journal) emptied(gone []string) {
	left := map[string]bool{}
	for _, name := range gone {
		left[name] = true
	}
	var dirs []string
	seen := map[string]bool{".": true}
	for _, name := range gone {
		for dir := path.Dir(name); !seen[dir]; dir = path.Dir(dir) {
			seen[dir] = true
			dirs = append(dirs, dir)
		}
	}
	sort.Slice(dirs, func(a, b int) bool { return len(dirs[a]) > len(dirs[b]) })
	for _, dir := range dirs {
		entries, err := j.host.names(dir)
		if err != nil {
			continue
		}
		empty := true
		for _, entry := range entries {
			empty = empty && left[path.Join(dir, entry.Name())]
		}
		if empty {
			left[dir] = true
			j.steps = append(j.steps, step{Kind: unmaking, Path: []byte(dir)})
		}
	}
	for _, s := range j.steps {
		if s.Kind == unmaking {
			j.made[string(s.Path)] = false
		}
	}
}

// folders adds those on the way to a file that are not there.
func (j *journal) folders(dir string) {
	if dir == "." || j.made[dir] {
		return
	}
	_, removed := j.made[dir]
	if stat, err := j.host.stat(dir); err == nil && stat.Mode&unix.S_IFMT == unix.S_IFDIR && !removed {
		return
	}
	j.folders(path.Dir(dir))
	j.made[dir] = true
	j.steps = append(j.steps, step{Kind: making, Path: []byte(dir)})
}

// fill makes what comes in its slot, and gives its inode.
func (j *journal) fill(slot int, p put, owner unix.Stat_t) (uint64, error) {
	name := strconv.Itoa(slot)
	uid, gid := int(owner.Uid), int(owner.Gid)
	if p.over.Ino != 0 {
		uid, gid = int(p.over.Uid), int(p.over.Gid)
	}
	if p.state.Kind == symlink {
		if err := unix.Symlinkat(string(p.state.Content), j.stage.root, name); err != nil {
			return 0, fmt.Errorf("preparing %s: %w", quoted(p.path), err)
		}
	} else if err := j.fillFile(name, p); err != nil {
		return 0, fmt.Errorf("preparing %s: %w", quoted(p.path), err)
	}
	if os.Geteuid() == 0 && uid != overflow {
		if err := unix.Fchownat(j.stage.root, name, uid, gid, unix.AT_SYMLINK_NOFOLLOW); err != nil {
			return 0, err
		}
	}
	stat, err := j.stage.stat(name)
	return stat.Ino, err
}

func (j *journal) fillFile(name string, p put) error {
	mask := unix.Umask(0)
	unix.Umask(mask)
	mode := uint32(0o666) &^ uint32(mask)
	if p.over.Ino != 0 && p.over.Mode&unix.S_IFMT == unix.S_IFREG {
		mode = p.over.Mode & 0o777 &^ 0o111
	}
	if p.state.Executable {
		mode |= mode & 0o444 >> 2 // whoever may read it may run it
	}
	fd, err := j.stage.open(name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	file := os.NewFile(uintptr(fd), name)
	defer file.Close()
	if _, err := file.Write(p.state.Content); err != nil {
		return err
	}
	return unix.Fchmod(fd, mode)
}

// write puts the journal to disk: from here on an apply that is cut off is taken
// back.
func (j *journal) write() error {
	text, err := json.Marshal(j.steps)
	if err != nil {
		return err
	}
	path := filepath.Join(j.stagePath(), journalName)
	file, err := os.OpenFile(path+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return fmt.Errorf("writing the journal: %w", err)
	}
	return os.Rename(path+".new", path)
}

func (j *journal) forward(s step) error {
	name := string(s.Path)
	slot := strconv.Itoa(s.Slot)
	err := j.host.in(name, func(parent int, base string) error {
		switch s.Kind {
		case making:
			return j.makeFolder(parent, base)
		case unmaking:
			return unix.Unlinkat(parent, base, unix.AT_REMOVEDIR)
		case adding:
			return unix.Renameat2(j.stage.root, slot, parent, base, unix.RENAME_NOREPLACE)
		case replacing:
			return unix.Renameat2(j.stage.root, slot, parent, base, unix.RENAME_EXCHANGE)
		default:
			return unix.Renameat2(parent, base, j.stage.root, slot, unix.RENAME_NOREPLACE)
		}
	})
	if errors.Is(err, unix.EINVAL) && s.Kind == replacing {
		return launch.Fail(launch.Unsupported, err, "the file system of %s cannot exchange two files in one step", j.folder).
			WithRemedy("take the changes as a patch: cortex diff NAME | git apply")
	}
	if err != nil {
		return launch.Fail(launch.DriverFailed, err, "applying %s", quoted(name)).WithRemedy("nothing was changed; look at the owner and mode of its folder")
	}
	return j.unchanged(s, slot)
}

func (j *journal) makeFolder(parent int, base string) error {
	mask := unix.Umask(0)
	unix.Umask(mask)
	if err := unix.Mkdirat(parent, base, 0o777); err != nil {
		return err
	}
	owner, err := j.owner()
	if err != nil || os.Geteuid() != 0 || owner.Uid == overflow {
		return err
	}
	return unix.Fchownat(parent, base, int(owner.Uid), int(owner.Gid), unix.AT_SYMLINK_NOFOLLOW)
}

// unchanged: what lies in the slot now is what was compared.
func (j *journal) unchanged(s step, slot string) error {
	if s.Kind != replacing && s.Kind != removing {
		return nil
	}
	stat, err := j.stage.stat(slot)
	if err != nil {
		return err
	}
	if stat.Ino != s.old.Ino || stat.Size != s.old.Size || stat.Mtim != s.old.Mtim {
		j.done++ // it was done, and is taken back with the others
		return launch.Fail(launch.Busy, nil, "%s was changed while it was applied", quoted(string(s.Path))).WithRemedy("try again")
	}
	return nil
}

// back takes back the steps that were done, the last first. A file that somebody
// changed since stays as it is.
func (j *journal) back() error {
	var failed []error
	for j.done > 0 {
		j.done--
		s := j.steps[j.done]
		if err := j.reverse(s); err != nil && !errors.Is(err, syscall.ENOENT) {
			failed = append(failed, fmt.Errorf("taking back %s: %w", quoted(string(s.Path)), err))
		}
	}
	return errors.Join(failed...)
}

func (j *journal) reverse(s step) error {
	name, slot := string(s.Path), strconv.Itoa(s.Slot)
	inSlot, slotErr := j.stage.stat(slot)
	at, atErr := j.host.stat(name)
	return j.host.in(name, func(parent int, base string) error {
		switch s.Kind {
		case making:
			if err := unix.Unlinkat(parent, base, unix.AT_REMOVEDIR); !errors.Is(err, unix.ENOTEMPTY) {
				return err
			}
			return nil
		case unmaking:
			if err := j.makeFolder(parent, base); !errors.Is(err, unix.EEXIST) {
				return err
			}
			return nil
		case adding:
			if slotErr != nil && atErr == nil && at.Ino == s.New {
				return unix.Renameat2(parent, base, j.stage.root, slot, unix.RENAME_NOREPLACE)
			}
		case replacing:
			if slotErr == nil && inSlot.Ino != s.New && atErr == nil && at.Ino == s.New {
				return unix.Renameat2(j.stage.root, slot, parent, base, unix.RENAME_EXCHANGE)
			}
		default:
			if slotErr == nil && atErr != nil {
				return unix.Renameat2(j.stage.root, slot, parent, base, unix.RENAME_NOREPLACE)
			}
		}
		return nil
	})
}

// remove ends the apply: without its journal, a stage is rubbish.
func (j *journal) remove() error {
	stage := j.stagePath()
	if err := os.Remove(filepath.Join(stage, journalName)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("removing the journal: %w", err)
	}
	if j.stage != nil {
		j.stage.close()
		j.stage = nil
	}
	if _, err := wiping.Wipe(stage); err != nil {
		return fmt.Errorf("removing %s: %w", stage, err)
	}
	j.steps, j.done, j.slots, j.made = nil, 0, 0, map[string]bool{}
	return nil
}
