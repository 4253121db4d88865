package files

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"golang.org/x/sys/unix"
)

// Bounds of one watch.
const (
	// FoldersMost is how many folders one watch covers; the kernel keeps about a kibibyte for each.
	FoldersMost = 16_384
	// WatchDepthMost is how far down a watch looks.
	WatchDepthMost = 128
)

// What the kernel is asked for. Files that have no name any more are nobody's business.
const (
	watched     = unix.IN_CREATE | unix.IN_MODIFY | unix.IN_DELETE | unix.IN_MOVED_FROM | unix.IN_MOVED_TO | unix.IN_ATTRIB | unix.IN_ONLYDIR | unix.IN_EXCL_UNLINK
	watchedRoot = watched | unix.IN_DELETE_SELF | unix.IN_MOVE_SELF
)

// folderNode is a watched folder. Its path follows from its parents, so that a move costs one step.
type folderNode struct {
	name     string
	parent   *folderNode // nil for the root
	children map[string]*folderNode
	wd       int32
}

// folderTree is what the kernel watches for one Watcher.
type folderTree struct {
	inotify   int
	root      string // its path as it was asked for
	recursive bool
	base      *folderNode
	byWatch   map[int32]*folderNode
	buffer    []byte
}

func newFolderTree(inotify int, root string, recursive bool) *folderTree {
	return &folderTree{
		inotify: inotify, root: root, recursive: recursive,
		byWatch: map[int32]*folderNode{}, buffer: make([]byte, folderBuffer),
	}
}

// pathOf is where an entry of a folder is; an empty name means the folder itself.
func (t *folderTree) pathOf(n *folderNode, name string) string {
	parts := []string{}
	if name != "" {
		parts = append(parts, name)
	}
	for ; n.parent != nil; n = n.parent {
		parts = append(parts, n.name)
	}
	var full strings.Builder
	full.WriteString(t.root)
	for i := len(parts) - 1; i >= 0; i-- {
		if full.Len() > 1 || t.root != "/" {
			full.WriteByte('/')
		}
		full.WriteString(parts[i])
	}
	return full.String()
}

func (n *folderNode) depth() (depth int) {
	for ; n.parent != nil; n = n.parent {
		depth++
	}
	return depth
}

// begin watches the root and, where that was asked for, all beneath it. The caller has taken its rights.
func (t *folderTree) begin() error {
	fd, err := open(unix.AT_FDCWD, t.root, openFolder, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	wd, err := t.watch(fd, watchedRoot)
	if err != nil {
		return err
	}
	base := &folderNode{wd: wd}
	t.byWatch[wd], t.base = base, base
	return t.descend(base, fd, nil)
}

// clear lets go of everything; what the kernel still has to say of it is about watches that nobody knows.
func (t *folderTree) clear() {
	for wd := range t.byWatch {
		_, _ = unix.InotifyRmWatch(t.inotify, uint32(wd))
	}
	clear(t.byWatch)
	t.base = nil
}

// enter watches a folder that has appeared, and tells of what is in it already. A folder that has gone
// again, that is a link by now, or that the caller may not read is left out.
func (t *folderTree) enter(parent *folderNode, name string, found func(path string, folder bool)) error {
	if parent.depth() >= WatchDepthMost {
		return nil
	}
	fd, err := open(unix.AT_FDCWD, t.pathOf(parent, name), openFolder|unix.O_NOFOLLOW, 0)
	if err != nil {
		return passing(err)
	}
	defer unix.Close(fd)
	return t.child(parent, name, fd, found)
}

func (t *folderTree) child(parent *folderNode, name string, fd int, found func(string, bool)) error {
	wd, err := t.watch(fd, watched)
	if err != nil {
		return passing(err)
	}
	known := t.byWatch[wd]
	if known != nil && known == parent.children[name] {
		// Found by looking before its own event came. Its watch stays: what it has to say waits in the queue.
		return t.descend(known, fd, found)
	}
	if known != nil { // the same folder in two places
		return nil
	}
	t.leave(parent, name)
	n := &folderNode{name: name, parent: parent, wd: wd}
	t.byWatch[wd] = n
	if parent.children == nil {
		parent.children = map[string]*folderNode{}
	}
	parent.children[name] = n
	return t.descend(n, fd, found)
}

// watch gives the number of a folder's watch; a folder that is watched already has one.
func (t *folderTree) watch(fd int, mask uint32) (int32, error) {
	if len(t.byWatch) >= FoldersMost {
		return 0, &Error{
			Code:    Capacity,
			Message: fmt.Sprintf("there are more than %d folders in %s", FoldersMost, quoted(t.root)),
			Remedy:  "watch a folder further down",
		}
	}
	wd, err := unix.InotifyAddWatch(t.inotify, fmt.Sprintf("/proc/self/fd/%d", fd), mask)
	if errors.Is(err, unix.ENOSPC) {
		return 0, &Error{
			Code:    Capacity,
			Message: "the kernel has no more inotify watches for this sandbox",
			Remedy:  "watch a folder further down, or raise fs.inotify.max_user_watches on the host",
			cause:   err,
		}
	}
	return int32(wd), err
}

func (t *folderTree) descend(n *folderNode, fd int, found func(string, bool)) error {
	if found == nil && !t.recursive {
		return nil
	}
	depth := n.depth()
	var folders []string
	for reader := newFolderReader(fd, t.buffer); ; {
		entry, ok, err := reader.next()
		if err != nil {
			return passing(err)
		}
		if !ok {
			break
		}
		kind, err := entry.kindIn(fd)
		if err != nil {
			continue
		}
		if found != nil {
			found(t.pathOf(n, entry.name), kind == unix.DT_DIR)
		}
		if kind == unix.DT_DIR && t.recursive && depth < WatchDepthMost {
			folders = append(folders, entry.name)
		}
	}
	for _, name := range folders {
		below, err := open(fd, name, openFolder|unix.O_NOFOLLOW, 0)
		if err != nil {
			if err = passing(err); err != nil {
				return err
			}
			continue
		}
		err = t.child(n, name, below, found)
		_ = unix.Close(below)
		if err != nil {
			return err
		}
	}
	return nil
}

// leave stops watching a folder and all beneath it.
func (t *folderTree) leave(parent *folderNode, name string) {
	if n := parent.children[name]; n != nil {
		delete(parent.children, name)
		t.drop(n)
	}
}

func (t *folderTree) drop(n *folderNode) {
	for _, below := range n.children {
		t.drop(below)
	}
	// Another folder may have the number by now.
	if t.byWatch[n.wd] == n {
		_, _ = unix.InotifyRmWatch(t.inotify, uint32(n.wd))
		delete(t.byWatch, n.wd)
	}
}

// ended forgets a watch that the kernel has ended by itself.
func (t *folderTree) ended(wd int32) {
	n := t.byWatch[wd]
	if n == nil {
		return
	}
	delete(t.byWatch, wd)
	if n.parent != nil && n.parent.children[n.name] == n {
		delete(n.parent.children, n.name)
	}
}

// take removes a folder from its place without ending its watches, for put.
func (t *folderTree) take(parent *folderNode, name string) *folderNode {
	n := parent.children[name]
	delete(parent.children, name)
	return n
}

// put gives a folder another place.
func (t *folderTree) put(n, parent *folderNode, name string) {
	t.leave(parent, name)
	n.name, n.parent = name, parent
	if parent.children == nil {
		parent.children = map[string]*folderNode{}
	}
	parent.children[name] = n
}

// passing is nil for what happens to folders that come and go, or are not the caller's.
func passing(err error) error {
	switch {
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.ENOTDIR), errors.Is(err, unix.ELOOP),
		errors.Is(err, unix.EACCES), errors.Is(err, unix.EPERM), errors.Is(err, unix.ENAMETOOLONG):
		return nil
	}
	return err
}

// splitFile is the folder and the name of a watched file.
func splitFile(file string) (folder, name string) { return path.Dir(file), path.Base(file) }
