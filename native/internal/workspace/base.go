package workspace

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"cortex.dev/native/internal/launch"
	"golang.org/x/sys/unix"
)

// Files of a base.
const (
	manifestName = "manifest.json"
	contentName  = "content"
)

// Kinds of what is copied. A folder is what holds such, as in git.
const (
	regular = "file"
	symlink = "link"
)

// Entry is one file as it was copied.
type Entry struct {
	// Path relative to the workspace, byte for byte.
	Path []byte `json:"path"`
	Kind string `json:"kind"`
	// Executable is all of the mode that counts, as in git.
	Executable bool  `json:"executable,omitempty"`
	Size       int64 `json:"size"`
	// Offset of its bytes, or of its link's target, in the base's content.
	Offset int64 `json:"offset"`
	// Inode and Changed (ctime, nanoseconds) of the copy: while both are the
	// same, so is the file, since nothing inside can set the latter.
	Inode   uint64 `json:"inode"`
	Changed int64  `json:"changed"`
}

// Base is what a workspace's copy was.
type Base struct {
	Version int `json:"version"`
	// Sandbox is whose copy it is.
	Sandbox string `json:"sandbox"`
	// Source is the folder on the host.
	Source string `json:"source"`
	// Git says that the source is a checkout: files that git ignores were not
	// copied, and are no changes.
	Git bool `json:"git,omitempty"`
	// Commit is the checkout's HEAD, when the source is the top of one.
	Commit string `json:"commit,omitempty"`
	// Excludes are the patterns of .git/info/exclude and of the user's own file,
	// the latter first.
	Excludes [][]byte  `json:"excludes,omitempty"`
	Made     time.Time `json:"made"`
	Entries  []Entry   `json:"entries"`

	content *os.File
}

// openBase reads the base of a place.
func openBase(place Place) (*Base, error) {
	text, err := os.ReadFile(filepath.Join(place.base(), manifestName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, launch.Fail(launch.NotFound, nil, "this sandbox has no workspace").
			WithRemedy("make one with it: cortex create NAME --workspace DIR")
	}
	if err != nil {
		return nil, fmt.Errorf("reading the base: %w", err)
	}
	base := &Base{}
	if err := json.Unmarshal(text, base); err != nil {
		return nil, fmt.Errorf("the base is damaged: %w", err)
	}
	if base.Version != launch.Version {
		return nil, launch.Fail(launch.Unsupported, nil, "the base is of version %d, this is %d", base.Version, launch.Version).
			WithRemedy("use the version of Cortex that made the sandbox")
	}
	base.content, err = os.OpenFile(filepath.Join(place.base(), contentName), os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("opening the base: %w", err)
	}
	return base, nil
}

func (b *Base) close() { _ = b.content.Close() }

// read gives what an entry was.
func (b *Base) read(e Entry) ([]byte, error) {
	content := make([]byte, e.Size)
	if _, err := b.content.ReadAt(content, e.Offset); err != nil {
		return nil, fmt.Errorf("reading the base of %q: %w", e.Path, err)
	}
	return content, nil
}

// save writes the manifest whole.
func (b *Base) save(place Place) error {
	text, err := json.Marshal(b)
	if err != nil {
		return err
	}
	temporary := filepath.Join(place.base(), manifestName+".new")
	if err := os.WriteFile(temporary, text, 0o600); err != nil {
		return fmt.Errorf("writing the base: %w", err)
	}
	if err := os.Rename(temporary, filepath.Join(place.base(), manifestName)); err != nil {
		return fmt.Errorf("writing the base: %w", err)
	}
	return nil
}

func changedAt(stat *unix.Stat_t) int64 { return stat.Ctim.Nano() }

// byPath is the entries by their path.
func (b *Base) byPath() map[string]int {
	index := make(map[string]int, len(b.Entries))
	for i, e := range b.Entries {
		index[string(e.Path)] = i
	}
	return index
}
