package files

import (
	"container/heap"
	"context"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// Bounds of one List.
const (
	// EntriesMost is how many entries one page holds at most.
	EntriesMost = 10_000
	// DepthMost is how deep List goes: it holds a descriptor for each level.
	DepthMost = 128
	// A control message carries at most 4 MiB; the rest is room for what goes around the entries.
	pageBytesMost = 3 << 20
	// What an entry costs in a message beside its path and link target.
	entryBytes = 64
)

// List gives what lies in the folder path down to depth levels (0 and 1: its own entries),
// sorted by path component for component, at most `most` entries (0: EntriesMost). With after,
// a path that an earlier page ended with, it goes on behind it. truncated says that there is
// more. Links are listed and never followed, but for path itself. A folder further down that the
// caller may not read is listed without what is in it.
func (c Caller) List(ctx context.Context, path string, depth, most uint32, after string) (entries []Info, truncated bool, err error) {
	at, err := c.absolute(path)
	if err != nil {
		return nil, false, err
	}
	if depth > DepthMost {
		return nil, false, invalid("list a folder further down", "a depth of %d is more than %d", depth, DepthMost)
	}
	base := strings.TrimRight(at, "/") + "/"
	l := listing{ctx: ctx, most: int(most), bytes: pageBytesMost, buffer: make([]byte, folderBuffer)}
	if most == 0 || most > EntriesMost {
		l.most = EntriesMost
	}
	if after != "" {
		beneath, ok := strings.CutPrefix(after, base)
		if !ok || beneath == "" {
			return nil, false, invalid("give the last path of the page before", "%s does not lie in %s", quoted(after), quoted(at))
		}
		l.after = strings.Split(beneath, "/")
	}
	err = c.as(func() error {
		fd, err := open(unix.AT_FDCWD, at, openFolder, 0)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		return l.folder(fd, base, int(max(depth, 1)), l.after)
	})
	if err != nil {
		return nil, false, failure("list", at, err)
	}
	return l.entries, l.truncated, nil
}

type listing struct {
	ctx       context.Context
	most      int
	bytes     int
	after     []string
	buffer    []byte
	entries   []Info
	truncated bool
}

// folder adds what lies in the open folder, whose path ends with a slash, behind `after`
// (relative to it, empty: from its start).
func (l *listing) folder(fd int, path string, depth int, after []string) error {
	from := ""
	if len(after) > 0 {
		// An earlier page gave this entry, but not all that is in it.
		from = after[0]
	}
	names, more, err := l.names(fd, from)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := l.ctx.Err(); err != nil {
			return err
		}
		var below []string
		given := name == from
		if given {
			below = after[1:]
		}
		info, err := infoAt(fd, name, path+name)
		if err == unix.ENOENT {
			continue
		}
		if err != nil {
			return err
		}
		if !given && !l.add(info) {
			return nil
		}
		if info.Type != Directory || depth == 1 {
			continue
		}
		if err := l.descend(fd, name, path, depth, below); err != nil || l.truncated {
			return err
		}
	}
	l.truncated = l.truncated || more
	return nil
}

func (l *listing) descend(fd int, name, path string, depth int, below []string) error {
	child, err := open(fd, name, openFolder|unix.O_NOFOLLOW, 0)
	switch err {
	case nil:
	case unix.ENOENT, unix.ENOTDIR, unix.ELOOP, unix.EACCES:
		return nil
	default:
		return err
	}
	defer unix.Close(child)
	return l.folder(child, path+name+"/", depth-1, below)
}

func (l *listing) add(info Info) bool {
	size := len(info.Path) + len(info.LinkTarget) + entryBytes
	if len(l.entries) == l.most || (size > l.bytes && len(l.entries) > 0) {
		l.truncated = true
		return false
	}
	l.bytes -= size
	l.entries = append(l.entries, info)
	return true
}

// names gives the smallest names of a folder from `from` on, as many as may still be needed, sorted;
// a folder of millions costs no more memory than a page.
func (l *listing) names(fd int, from string) (names []string, more bool, err error) {
	// One more than fits tells that there is more; one for the entry that is only entered.
	room := l.most - len(l.entries) + 2
	var kept largestFirst
	for reader := newFolderReader(fd, l.buffer); ; {
		entry, ok, err := reader.next()
		if err != nil {
			return nil, false, err
		}
		if !ok {
			break
		}
		if entry.name < from {
			continue
		}
		if len(kept) < room {
			heap.Push(&kept, entry.name)
		} else if more = true; entry.name < kept[0] {
			kept[0] = entry.name
			heap.Fix(&kept, 0)
		}
	}
	names = kept
	slices.Sort(names)
	return names, more, nil
}

// largestFirst is a heap of names with the largest on top.
type largestFirst []string

func (h largestFirst) Len() int           { return len(h) }
func (h largestFirst) Less(i, j int) bool { return h[i] > h[j] }
func (h largestFirst) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *largestFirst) Push(x any)        { *h = append(*h, x.(string)) }
func (h *largestFirst) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
