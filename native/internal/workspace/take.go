package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"cortex.dev/native/internal/launch"
	wiping "cortex.dev/native/internal/launch/tree"
	"golang.org/x/sys/unix"
)

// Taken says what was copied.
type Taken struct {
	Version int   `json:"version"`
	Files   int   `json:"files"`
	Bytes   int64 `json:"bytes"`
	// Skipped are sockets, pipes and devices.
	Skipped int  `json:"skipped"`
	Git     bool `json:"git"`
}

// Take copies a folder to a sandbox's disk, which is in use by nobody, with a
// base beside it. A copy that was begun and not finished is made anew, and one that
// this sandbox has already is left as it is; after a failure there is none.
func Take(place Place, sandbox, source string) (Taken, error) {
	if err := place.Check(); err != nil {
		return Taken{}, err
	}
	// One descriptor from here to the last byte: what its name leads to may be another folder meanwhile.
	from, err := openSource(source)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ENOTDIR) {
		return Taken{}, launch.Fail(launch.NotFound, nil, "there is no folder %s for the workspace", source).
			WithRemedy("name a folder that exists: --workspace DIR")
	}
	if err != nil {
		return Taken{}, err
	}
	defer from.close()
	if base, err := openBase(place); err == nil && base.Sandbox == sandbox {
		defer base.close()
		return Taken{Version: launch.Version, Files: len(base.Entries), Git: base.Git}, nil
	}
	t := &taking{place: place, sandbox: sandbox, source: source, from: from}
	taken, err := t.run()
	if err != nil && t.begun {
		err = errors.Join(err, t.undo())
	}
	return taken, err
}

type taking struct {
	place   Place
	sandbox string
	source  string
	from    *tree
	begun   bool
	base    Base
}

func (t *taking) run() (Taken, error) {
	// Modes are as they are at the source.
	defer unix.Umask(unix.Umask(0))
	if err := t.clear(); err != nil {
		return Taken{}, err
	}
	target, err := t.target()
	if err != nil {
		return Taken{}, err
	}
	defer target.close()
	content, err := os.OpenFile(filepath.Join(t.place.base(), contentName), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return Taken{}, fmt.Errorf("making the base: %w", err)
	}
	defer content.Close()
	l, err := list(t.source)
	if err != nil {
		return Taken{}, err
	}
	if err := t.from.named(t.source); err != nil {
		return Taken{}, err
	}
	t.base = Base{Version: launch.Version, Sandbox: t.sandbox, Source: t.source, Git: l.checkout != nil}
	c := &copying{place: t.place, from: t.from, to: target, content: content}
	if t.base.Entries, err = c.copy(l); err != nil {
		return Taken{}, err
	}
	if l.checkout != nil {
		t.base.Excludes = l.checkout.excludes()
		if l.checkout.top == t.source {
			t.base.Commit = l.checkout.head
			if err := c.repository(l.checkout); err != nil {
				return Taken{}, err
			}
		}
	}
	t.base.Made = time.Now().UTC()
	if err := t.base.save(t.place); err != nil {
		return Taken{}, err
	}
	return Taken{launch.Version, len(t.base.Entries), c.bytes(), l.skipped, l.checkout != nil}, nil
}

// clear removes a copy that was not finished, and refuses one that was.
func (t *taking) clear() error {
	if _, err := os.Lstat(filepath.Join(t.place.base(), manifestName)); err == nil {
		return t.taken()
	}
	if _, err := os.Lstat(t.place.base()); err == nil {
		t.begun = true
		return t.undo()
	}
	return nil
}

func (t *taking) taken() error {
	return launch.Fail(launch.AlreadyExists, nil, "the disk that was kept under this name has a workspace already").
		WithRemedy("go on with it: leave --workspace out        begin anew: --wipe")
}

// Drop removes a copy that this sandbox made on a disk that it leaves, finished or
// not; another's is left.
func Drop(place Place, sandbox string) error {
	base, err := openBase(place)
	if err == nil {
		own := base.Sandbox == sandbox
		base.close()
		if !own {
			return nil
		}
	} else if !exists(place.base()) {
		return nil
	}
	return (&taking{place: place}).undo()
}

// undo removes copy and base, the latter last: while it is there, the copy is
// known to be none.
func (t *taking) undo() error {
	disk, err := openTree(t.place.Disk)
	if err != nil {
		return err
	}
	defer disk.close()
	// A link on the way there is the sandbox's doing, and not followed.
	if _, err := disk.stat(t.place.Folder); err == nil {
		if _, err := wiping.Wipe(t.place.folder()); err != nil {
			return fmt.Errorf("removing the unfinished copy: %w", err)
		}
	}
	if _, err := wiping.Wipe(t.place.base()); err != nil {
		return fmt.Errorf("removing the unfinished base: %w", err)
	}
	return nil
}

// target makes the empty folder of the copy, and the base's.
func (t *taking) target() (*tree, error) {
	if err := os.MkdirAll(t.place.Disk, 0o700); err != nil {
		return nil, fmt.Errorf("making the disk: %w", err)
	}
	disk, err := openTree(t.place.Disk)
	if err != nil {
		return nil, err
	}
	defer disk.close()
	parts := strings.Split(t.place.Folder, "/")
	for i := range parts {
		if i == len(parts)-1 {
			// From here on, an empty folder that is there counts as ours.
			if err := t.begin(disk); err != nil {
				return nil, err
			}
		}
		own := len(parts)-i <= t.place.Owned
		if err := t.folder(disk, path.Join(parts[:i+1]...), own); err != nil {
			return nil, err
		}
	}
	fd, err := disk.open(t.place.Folder, unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	if t.place.Opaque != "" {
		if err := unix.Fsetxattr(fd, t.place.Opaque, []byte("y"), 0); err != nil {
			_ = unix.Close(fd)
			return nil, fmt.Errorf("hiding what the image has at the workspace's place: %w", err)
		}
	}
	return &tree{fd}, nil
}

// begin refuses a place where something lies already, and makes the base's
// folder, which says that a copy is under way.
func (t *taking) begin(disk *tree) error {
	if entries, err := disk.names(t.place.Folder); err == nil && len(entries) > 0 {
		return t.taken()
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return launch.Fail(launch.AlreadyExists, err, "the workspace's place on the kept disk is taken").WithRemedy("begin anew: --wipe")
	}
	if err := os.Mkdir(t.place.base(), 0o700); err != nil {
		return fmt.Errorf("making the base: %w", err)
	}
	t.begun = true
	return nil
}

func (t *taking) folder(disk *tree, name string, own bool) error {
	err := disk.in(name, func(parent int, base string) error {
		if err := unix.Mkdirat(parent, base, 0o755); err != nil {
			return err
		}
		if err := unix.Fchmodat(parent, base, 0o755, 0); err != nil || !own {
			return err
		}
		return unix.Fchownat(parent, base, t.place.UID, t.place.GID, unix.AT_SYMLINK_NOFOLLOW)
	})
	if err != nil && !errors.Is(err, unix.EEXIST) {
		return fmt.Errorf("making the workspace's place: %w", err)
	}
	return nil
}
