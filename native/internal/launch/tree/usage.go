package tree

import (
	"errors"
	"os"
	"path/filepath"

	"cortex.dev/native/internal/launch"
	"golang.org/x/sys/unix"
)

// Usage measures a folder and everything in it, on its own mount.
func Usage(root string) (launch.Used, error) {
	parent, err := unix.Open(filepath.Dir(root), unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return launch.Used{}, launch.Fail(launch.NotFound, &os.PathError{Op: "open", Path: root, Err: err}, "measuring")
	}
	defer unix.Close(parent)
	m := &measurer{linked: map[uint64]bool{}}
	if err := m.measure(parent, filepath.Base(root), 0); err != nil {
		if errors.Is(err, unix.ENOENT) {
			return launch.Used{}, launch.Fail(launch.NotFound, err, "measuring %s", root)
		}
		return launch.Used{}, err
	}
	return launch.Used{Version: launch.Version, Bytes: m.blocks * 512, Entries: m.entries}, nil
}

type measurer struct {
	blocks, entries int64
	// linked holds the inodes with several names that were counted.
	linked map[uint64]bool
}

func (m *measurer) measure(parent int, name string, depth int) error {
	var stat unix.Stat_t
	if err := unix.Fstatat(parent, name, &stat, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return err
	}
	m.entries++
	isDir := stat.Mode&unix.S_IFMT == unix.S_IFDIR
	if isDir || stat.Nlink == 1 || !m.linked[stat.Ino] {
		m.blocks += stat.Blocks
	}
	if !isDir && stat.Nlink > 1 {
		m.linked[stat.Ino] = true
	}
	// Deeper than that is not worth the descriptors; it is a guest's joke.
	if !isDir || depth >= maxDepth {
		return nil
	}
	return m.inside(parent, name, depth)
}

func (m *measurer) inside(parent int, name string, depth int) error {
	fd, err := unix.Openat2(parent, name, &unix.OpenHow{
		Flags:   unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_XDEV,
	})
	// Another mount, or gone meanwhile.
	if errors.Is(err, unix.EXDEV) || errors.Is(err, unix.ENOENT) {
		return nil
	}
	if err != nil {
		return &os.PathError{Op: "open", Path: name, Err: err}
	}
	dir := os.NewFile(uintptr(fd), name)
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return err
	}
	for _, each := range names {
		if err := m.measure(fd, each, depth+1); err != nil && !errors.Is(err, unix.ENOENT) {
			return err
		}
	}
	return nil
}
