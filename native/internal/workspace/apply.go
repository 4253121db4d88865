package workspace

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"sort"
	"strings"

	"cortex.dev/native/internal/launch"
	"cortex.dev/native/internal/workspace/text"
	"golang.org/x/sys/unix"
)

// Applying says how changes are brought back.
type Applying struct {
	// Check does everything but the change.
	Check bool `json:"check"`
	// Branch, when set, makes a commit on a new branch of that name instead of
	// changing the work tree.
	Branch string `json:"branch"`
	// Message of that commit.
	Message string `json:"message"`
	// AllowRisks applies also what the host would run, and links out of the folder.
	AllowRisks bool `json:"allow_risks"`
	// Only names paths; empty: all.
	Only []string `json:"only"`
}

// Applied is what came of it: all changes or, with conflicts, none.
type Applied struct {
	Version int    `json:"version"`
	Folder  string `json:"folder"`
	// Files are the changes that were, or with Check would be, applied.
	Files []FileChange `json:"files"`
	// Merged are paths where changes of both sides came together.
	Merged []string `json:"merged"`
	// Already are paths that are in the folder as they are in the sandbox.
	Already   int        `json:"already"`
	Conflicts []Conflict `json:"conflicts"`
	Done      bool       `json:"done"`
	Branch    string     `json:"branch"`
	Commit    string     `json:"commit"`
	// Undone: an earlier apply that was cut off was taken back first.
	Undone bool `json:"undone"`
}

// Conflict is a path that cannot be applied, and why.
type Conflict struct {
	Path    string `json:"path,omitempty"`
	PathB64 string `json:"path_b64,omitempty"`
	Reason  string `json:"reason"`
}

// Apply brings a workspace's changes to the folder that it was copied from.
func Apply(place Place, how Applying) (Applied, error) {
	base, err := openBase(place)
	if err != nil {
		return Applied{}, err
	}
	defer base.close()
	s, err := changesOf(place, base, how.Only)
	if err != nil {
		return Applied{}, err
	}
	a := &application{base: base, how: how, changes: s.changes}
	a.told = Applied{Version: launch.Version, Folder: base.Source, Files: []FileChange{}, Merged: []string{}, Conflicts: []Conflict{}}
	if err := a.refuseRisks(); err != nil {
		return Applied{}, err
	}
	if how.Branch != "" {
		return a.told, a.branch()
	}
	return a.told, a.folder(place)
}

// application is one apply under way.
type application struct {
	base    *Base
	how     Applying
	changes []Change
	host    *tree
	told    Applied
	puts    []put
	// removes are the host's files that go, by path.
	removes map[string]unix.Stat_t
	taken   []Change // that the base takes over afterwards
}

// put is a file or link that comes to the host.
type put struct {
	path  string
	state State
	// over is what it replaces; Ino 0: nothing.
	over unix.Stat_t
}

// risksTold is how many risky paths an error names.
const risksTold = 20

func (a *application) refuseRisks() error {
	var risks []string
	for _, c := range a.changes {
		if why := risk(c); why != "" && !c.New.absent() {
			risks = append(risks, fmt.Sprintf("%s (%s)", quoted(c.Path), why))
		}
	}
	if len(risks) == 0 || a.how.AllowRisks {
		return nil
	}
	if more := len(risks) - risksTold; more > 0 {
		risks = append(risks[:risksTold], fmt.Sprintf("and %d more", more))
	}
	return launch.Fail(launch.Denied, nil, "not applied without being asked for: %s", strings.Join(risks, ", ")).
		WithRemedy("look at them: cortex diff NAME, then apply with --allow-hooks, or name the paths to apply: -- PATH…")
}

func (a *application) folder(place Place) error {
	host, err := openSource(a.base.Source)
	if err != nil {
		return err
	}
	a.host = host
	defer host.close()
	journal, err := openJournal(a.base.Source, host)
	if err != nil {
		return err
	}
	defer journal.close()
	if a.told.Undone, err = journal.undo(a.how.Check); err != nil {
		return err
	}
	if err := a.plan(); err != nil {
		return err
	}
	if len(a.told.Conflicts) > 0 || a.how.Check {
		return nil
	}
	if len(a.puts)+len(a.removes) > 0 {
		if err := journal.do(a.puts, a.removes); err != nil {
			return err
		}
	}
	a.told.Done = true
	return a.base.accept(place, a.taken)
}

// plan decides about each change. What goes is decided first: a folder may take
// the place of a file.
func (a *application) plan() error {
	a.removes = map[string]unix.Stat_t{}
	for _, deleting := range []bool{true, false} {
		for _, c := range a.changes {
			if c.New.absent() == deleting {
				if err := a.decide(c); err != nil {
					return err
				}
			}
		}
	}
	sort.Slice(a.told.Files, func(i, j int) bool { return a.told.Files[i].Path < a.told.Files[j].Path })
	sort.Slice(a.told.Conflicts, func(i, j int) bool { return a.told.Conflicts[i].Path < a.told.Conflicts[j].Path })
	return nil
}

func (a *application) decide(c Change) error {
	now, stat, obstacle, err := a.onHost(c.Path)
	if err != nil {
		return err
	}
	switch {
	case obstacle != "":
		a.conflict(c, obstacle)
	case now.same(c.New):
		a.told.Already++
		a.taken = append(a.taken, c)
	case now.same(c.Old):
		a.take(c, c.New, stat)
	default:
		return a.merge(c, now, stat)
	}
	return nil
}

func (a *application) take(c Change, state State, stat unix.Stat_t) {
	if state.absent() {
		a.removes[c.Path] = stat
	} else {
		a.puts = append(a.puts, put{c.Path, state, stat})
	}
	a.told.Files = append(a.told.Files, summary(c))
	a.taken = append(a.taken, c)
}

func (a *application) conflict(c Change, reason string) {
	conflict := Conflict{Reason: reason}
	conflict.Path, conflict.PathB64 = spelled(c.Path)
	a.told.Conflicts = append(a.told.Conflicts, conflict)
}

// merge: both sides changed it since the copy.
func (a *application) merge(c Change, now State, stat unix.Stat_t) error {
	switch {
	case now.absent():
		a.conflict(c, "changed in the sandbox, deleted here")
		return nil
	case c.New.absent():
		a.conflict(c, "deleted in the sandbox, changed here")
		return nil
	case now.Kind != regular || c.New.Kind != regular || c.Old.Kind == symlink:
		a.conflict(c, "changed in both, and one is a link")
		return nil
	case text.Binary(now.Content) || text.Binary(c.New.Content) || text.Binary(c.Old.Content):
		a.conflict(c, "changed in both, and it is no text")
		return nil
	}
	merged, conflicts := text.Merge(c.Old.Content, now.Content, c.New.Content)
	if len(conflicts) > 0 {
		a.conflict(c, "changed in both: here "+conflicts[0].String()+andMore(len(conflicts)-1))
		return nil
	}
	state := State{Kind: regular, Executable: now.Executable, Content: merged}
	if c.Old.Executable != c.New.Executable {
		state.Executable = c.New.Executable
	}
	a.told.Merged = append(a.told.Merged, quoted(c.Path))
	a.take(c, state, stat)
	return nil
}

func andMore(count int) string {
	if count == 0 {
		return ""
	}
	return fmt.Sprintf(", and %d more places", count)
}

// onHost reads what a path is in the folder now; or what stands in the way.
func (a *application) onHost(name string) (State, unix.Stat_t, string, error) {
	stat, err := a.host.stat(name)
	switch {
	case errors.Is(err, unix.ENOENT):
		return State{}, unix.Stat_t{}, "", nil
	case errors.Is(err, unix.ENOTDIR), errors.Is(err, unix.ELOOP):
		return a.blocked(name)
	case err != nil:
		return State{}, stat, "", err
	}
	switch stat.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		return a.fileOnHost(name)
	case unix.S_IFLNK:
		target, err := a.host.link(name)
		return State{Kind: symlink, Content: target}, stat, "", err
	case unix.S_IFDIR:
		if a.holdsRemoved(name) && a.emptied(name) {
			return State{}, unix.Stat_t{}, "", nil
		}
		return State{}, stat, "is a folder here", nil
	default:
		return State{}, stat, "is neither file nor link here", nil
	}
}

func (a *application) fileOnHost(name string) (State, unix.Stat_t, string, error) {
	file, stat, err := a.host.file(name)
	if err != nil {
		return State{}, stat, "cannot be read here: " + cause(err), nil
	}
	defer file.Close()
	if stat.Size > contentMost {
		return State{}, stat, "has become too large to compare here", nil
	}
	content, err := io.ReadAll(io.LimitReader(file, contentMost))
	return State{Kind: regular, Executable: stat.Mode&0o100 != 0, Content: content}, stat, "", err
}

func cause(err error) string {
	var inner *fs.PathError
	if errors.As(err, &inner) {
		return inner.Err.Error()
	}
	return err.Error()
}

// blocked: a folder on the way is none. No matter where it is a file that goes.
func (a *application) blocked(name string) (State, unix.Stat_t, string, error) {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		stat, err := a.host.stat(dir)
		if err != nil {
			continue
		}
		if _, goes := a.removes[dir]; goes {
			return State{}, unix.Stat_t{}, "", nil
		}
		if stat.Mode&unix.S_IFMT == unix.S_IFLNK {
			return State{}, stat, quoted(dir) + " is a link here, which is not followed", nil
		}
		return State{}, stat, quoted(dir) + " is no folder here", nil
	}
	return State{}, unix.Stat_t{}, "is not reached here", nil
}

func (a *application) holdsRemoved(dir string) bool {
	for name := range a.removes {
		if strings.HasPrefix(name, dir+"/") {
			return true
		}
	}
	return false
}

// emptied: everything in a folder goes.
func (a *application) emptied(dir string) bool {
	entries, err := a.host.names(dir)
	if err != nil {
		return false
	}
	for _, entry := range entries {
		name := path.Join(dir, entry.Name())
		if _, goes := a.removes[name]; !goes && (!entry.IsDir() || !a.emptied(name)) {
			return false
		}
	}
	return true
}

// accept makes the sandbox's state of these paths what later changes are compared
// with.
func (b *Base) accept(place Place, changes []Change) error {
	index := b.byPath()
	gone := map[int]bool{}
	end, err := b.content.Seek(0, io.SeekEnd)
	if err != nil {
		return fmt.Errorf("extending the base: %w", err)
	}
	for _, c := range changes {
		at, known := index[c.Path]
		if c.New.absent() {
			gone[at] = known
			continue
		}
		entry := c.seen
		entry.Size, entry.Offset = int64(len(c.New.Content)), end
		if _, err := b.content.WriteAt(c.New.Content, end); err != nil {
			return fmt.Errorf("extending the base: %w", err)
		}
		end += entry.Size
		// What was read while it was written to is read again the next time.
		entry.Changed--
		if known {
			b.Entries[at] = entry
		} else {
			b.Entries = append(b.Entries, entry)
		}
	}
	left := b.Entries[:0:0]
	for i, e := range b.Entries {
		if !gone[i] {
			left = append(left, e)
		}
	}
	b.Entries = left
	return b.save(place)
}
