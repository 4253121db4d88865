package files

import (
	"context"
	"strings"

	"golang.org/x/sys/unix"
)

// Remove removes a file, a link or an empty folder; with recursive a folder with everything
// beneath it. No link is followed. removed counts the entries, also when an error ended it.
func (c Caller) Remove(ctx context.Context, path string, recursive bool) (removed uint64, err error) {
	at, err := c.absolute(path)
	if err != nil {
		return 0, err
	}
	parent, name := splitLast(at)
	if name == "" || name == "." || name == ".." {
		return 0, invalid("name the file itself", "%s cannot be removed", quoted(at))
	}
	err = c.as(func() error {
		dir, err := open(unix.AT_FDCWD, parent, unix.O_PATH|unix.O_DIRECTORY, 0)
		if err != nil {
			return err
		}
		defer unix.Close(dir)
		err = unix.Unlinkat(dir, name, 0)
		if err == nil {
			removed = 1
			return nil
		}
		// Unlinking a folder is EISDIR on Linux, EPERM by POSIX.
		if err != unix.EISDIR && err != unix.EPERM {
			return err
		}
		if rmdir := unix.Unlinkat(dir, name, unix.AT_REMOVEDIR); rmdir == nil {
			removed = 1
			return nil
		} else if rmdir == unix.ENOTDIR {
			return err
		} else if rmdir != unix.ENOTEMPTY && rmdir != unix.EEXIST {
			return rmdir
		}
		if !recursive {
			return &Error{
				Code:    InvalidArgument,
				Message: "cannot remove " + quoted(at) + ": the folder is not empty",
				Remedy:  "ask for a recursive removal",
			}
		}
		r := remover{ctx: ctx, buffer: make([]byte, folderBuffer)}
		err = r.all(dir, name)
		removed = r.removed
		return err
	})
	return removed, failure("remove", at, err)
}

// splitLast splits an absolute path into its folder and its last component.
func splitLast(path string) (parent, name string) {
	path = strings.TrimRight(path, "/")
	i := strings.LastIndexByte(path, '/')
	if i < 0 {
		return "/", ""
	}
	return path[:i+1], path[i+1:]
}

// remover empties and removes folders. Each folder is opened anew beneath an anchor, so that
// neither depth nor breadth costs descriptors, and a folder that someone moves or swaps for a link
// meanwhile leads nowhere else.
type remover struct {
	ctx     context.Context
	removed uint64
	buffer  []byte
}

// A path from an anchor may be this long; deeper folders get an anchor of their own. With
// components of 255 bytes the longest is still below PATH_MAX.
const anchorPath = 2048

// waiting is a folder that is to be emptied, or, once that is done, removed.
type waiting struct {
	anchor *anchor
	path   string // relative to the anchor
	empty  bool
	tries  int
}

// Some file systems pass over an entry when others are unlinked while the folder is read, and a
// process may still be writing: a folder is emptied again so often before that is an error.
const emptyingsMost = 3

type anchor struct {
	tree *tree
	fd   int
	uses int
}

func (a *anchor) release() {
	if a.uses--; a.uses == 0 {
		unix.Close(a.fd)
	}
}

func (r *remover) all(dir int, name string) error {
	fd, err := unix.Dup(dir)
	if err != nil {
		return err
	}
	unix.CloseOnExec(fd)
	return r.beneath(&anchor{tree: newTree(fd), fd: fd, uses: 1}, name)
}

func (r *remover) beneath(top *anchor, name string) error {
	stack := []waiting{{anchor: top, path: name}}
	defer func() {
		for _, w := range stack {
			w.anchor.release()
		}
	}()
	for len(stack) > 0 {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		last := len(stack) - 1
		if stack[last].empty {
			err := r.folder(stack[last])
			if (err == unix.ENOTEMPTY || err == unix.EEXIST) && stack[last].tries < emptyingsMost {
				stack[last].empty = false
				stack[last].tries++
				continue
			}
			if err != nil {
				return err
			}
			stack[last].anchor.release()
			stack = stack[:last]
			continue
		}
		stack[last].empty = true
		folders, err := r.contents(stack[last])
		stack = append(stack, folders...)
		if err != nil {
			return err
		}
	}
	return nil
}

// contents unlinks what is no folder and gives the folders found.
func (r *remover) contents(w waiting) (folders []waiting, err error) {
	fd, err := w.anchor.tree.open(w.path, openFolder)
	if err == unix.ENOENT || err == unix.ENOTDIR || err == unix.ELOOP {
		return nil, nil // gone or swapped; the removal of the folder itself will tell
	}
	if err != nil {
		return nil, err
	}
	at, prefix := w.anchor, w.path+"/"
	if len(w.path) > anchorPath {
		at, prefix = &anchor{tree: newTree(fd), fd: fd}, ""
	}
	if at == w.anchor {
		defer unix.Close(fd)
	} else {
		at.uses++
		defer at.release()
	}
	reader := newFolderReader(fd, r.buffer)
	for {
		entry, ok, err := reader.next()
		if err != nil || !ok {
			return folders, err
		}
		if entry.kind != unix.DT_DIR {
			err := unix.Unlinkat(fd, entry.name, 0)
			switch err {
			case nil:
				r.removed++
				continue
			case unix.ENOENT:
				continue
			case unix.EISDIR:
			default:
				return folders, err
			}
		}
		at.uses++
		folders = append(folders, waiting{anchor: at, path: prefix + entry.name})
	}
}

func (r *remover) folder(w waiting) error {
	parent, name := w.anchor.fd, w.path
	if i := strings.LastIndexByte(w.path, '/'); i >= 0 {
		fd, err := w.anchor.tree.open(w.path[:i], unix.O_PATH|unix.O_DIRECTORY)
		if err == unix.ENOENT {
			return nil
		}
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		parent, name = fd, w.path[i+1:]
	}
	err := unix.Unlinkat(parent, name, unix.AT_REMOVEDIR)
	if err == unix.ENOTDIR { // swapped for something else meanwhile: that goes, it is not followed
		err = unix.Unlinkat(parent, name, 0)
	}
	if err == unix.ENOENT {
		return nil
	}
	if err == nil {
		r.removed++
	}
	return err
}
