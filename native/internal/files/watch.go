package files

import (
	"context"
	"encoding/binary"
	"errors"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// ChangeKind is what happened to a path.
type ChangeKind uint8

// The values are those of the protocol.
const (
	Created    ChangeKind = 1
	Modified   ChangeKind = 2
	Removed    ChangeKind = 3
	Moved      ChangeKind = 4
	Attributes ChangeKind = 5
	// Rescan says that changes beneath the path may have been missed: look at all of it again.
	Rescan ChangeKind = 6
)

// Change is one event of a watch.
type Change struct {
	Kind   ChangeKind
	Folder bool
	Path   string
	From   string // of a Moved, where it was
}

const (
	// changesMost and changesBytesMost bound a batch; behind it the kernel's own queue waits, and
	// says when it has overflowed.
	changesMost      = 4_096
	changesBytesMost = 256 << 10
	// quiet is how long a batch waits for more: an editor's save is five events within a millisecond.
	quiet    = 10 * time.Millisecond
	batchFor = 100 * time.Millisecond
	// rescanPause keeps a flood of changes from making the neuron walk the same folders all the time.
	rescanPause = 250 * time.Millisecond
	eventBuffer = 64 << 10
)

// Slots are taken by what may block a thread on the disk.
type Slots interface {
	Take(ctx context.Context) error
	Give()
}

// Watcher tells of changes of a file or folder. It is for one goroutine, but for Interrupt.
type Watcher struct {
	caller  Caller
	root    string // as asked for
	only    string // name of the watched file; empty for a folder
	slots   Slots
	file    *os.File
	tree    *folderTree
	buffer  []byte
	failure error // what ends the watch once the batch that tells of it was taken
	left    atomic.Bool
	done    func()

	changes []Change
	bytes   int
	said    map[string]uint8 // kinds that were told of a path in this batch
	leaving map[uint32]departure
}

// departure is an entry that was moved away, perhaps only to another watched folder.
type departure struct {
	index  int
	folder *folderNode
}

// begin makes the watches; what happens from then on is told.
func (w *Watcher) begin(ctx context.Context, recursive bool) error {
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	if err != nil {
		if errors.Is(err, unix.EMFILE) {
			return &Error{
				Code:    Capacity,
				Message: "all inotify instances that this sandbox may have are taken",
				Remedy:  "end what watches files in the sandbox, or raise fs.inotify.max_user_instances on the host",
				cause:   err,
			}
		}
		return failure("watch", w.root, err)
	}
	w.file = os.NewFile(uintptr(fd), "inotify")
	folder := w.root
	if w.only != "" {
		folder, _ = splitFile(w.root)
	}
	w.tree = newFolderTree(fd, folder, recursive && w.only == "")
	w.buffer = make([]byte, eventBuffer)
	if err := w.walk(ctx, w.tree.begin); err != nil {
		_ = w.file.Close()
		return failure("watch", w.root, err)
	}
	return nil
}

// walk does what touches folders, with the caller's rights and a slot.
func (w *Watcher) walk(ctx context.Context, work func() error) error {
	if err := w.slots.Take(ctx); err != nil {
		return err
	}
	defer w.slots.Give()
	return w.caller.as(work)
}

// Interrupt makes a Next that waits, and every later one, return os.ErrClosed. The descriptor stays:
// its number may be in use for a new folder at this moment.
func (w *Watcher) Interrupt() {
	w.left.Store(true)
	_ = w.file.SetReadDeadline(time.Now())
}

// Close ends the watch.
func (w *Watcher) Close() error {
	err := w.file.Close()
	w.done()
	return err
}

// Next waits for changes and gives them in the order in which they happened; what is the same as
// before is told once. Behind the removal of the root it gives none.
func (w *Watcher) Next(ctx context.Context) ([]Change, error) {
	if w.failure != nil {
		return nil, w.failure
	}
	w.changes, w.bytes = nil, 0
	w.said, w.leaving = map[string]uint8{}, map[uint32]departure{}
	for len(w.changes) == 0 && w.failure == nil {
		if err := w.collect(ctx); err != nil {
			return nil, err
		}
	}
	w.settleDepartures()
	return w.changes, nil
}

// collect reads what there is, and what comes right behind it.
func (w *Watcher) collect(ctx context.Context) error {
	var most, next time.Time
	for w.failure == nil && len(w.changes) < changesMost && w.bytes < changesBytesMost {
		if err := w.file.SetReadDeadline(next); err != nil {
			return err
		}
		// Behind the deadline, so that an Interrupt is either seen here or has set it anew.
		if w.left.Load() {
			return os.ErrClosed
		}
		n, err := w.file.Read(w.buffer)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			if w.left.Load() {
				return os.ErrClosed
			}
			return nil
		}
		if err != nil {
			return err
		}
		if err := w.take(ctx, w.buffer[:n]); err != nil {
			return err
		}
		now := time.Now()
		if most.IsZero() {
			most = now.Add(batchFor)
		}
		if !now.Before(most) {
			return nil
		}
		next = earlier(most, now.Add(quiet))
	}
	return nil
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// take reads a buffer of struct inotify_event.
func (w *Watcher) take(ctx context.Context, raw []byte) error {
	for len(raw) >= unix.SizeofInotifyEvent {
		wd := int32(binary.NativeEndian.Uint32(raw))
		mask := binary.NativeEndian.Uint32(raw[4:])
		cookie := binary.NativeEndian.Uint32(raw[8:])
		length := int(binary.NativeEndian.Uint32(raw[12:]))
		name := strings.TrimRight(string(raw[unix.SizeofInotifyEvent:unix.SizeofInotifyEvent+length]), "\x00")
		raw = raw[unix.SizeofInotifyEvent+length:]
		if mask&unix.IN_Q_OVERFLOW != 0 {
			// What follows in the buffer is about watches that are made anew.
			return w.again(ctx)
		}
		if w.failure == nil {
			w.event(ctx, wd, mask, cookie, name)
		}
	}
	return nil
}

// again makes all watches anew behind an overflow: a folder may have come whose event was lost.
func (w *Watcher) again(ctx context.Context) error {
	w.leaving = map[uint32]departure{}
	w.changes, w.bytes = []Change{{Kind: Rescan, Folder: w.only == "", Path: w.root}}, 0
	select {
	case <-time.After(rescanPause):
	case <-ctx.Done():
		return ctx.Err()
	}
	w.tree.clear()
	// The queue holds what is older than the rescan; full as it is, nothing new would come in.
	for {
		if err := w.file.SetReadDeadline(time.Now()); err != nil {
			return err
		}
		if _, err := w.file.Read(w.buffer); err != nil {
			break
		}
	}
	if err := w.walk(ctx, w.tree.begin); err != nil {
		w.failure = failure("watch", w.root, err)
	}
	return nil
}

func (w *Watcher) event(ctx context.Context, wd int32, mask, cookie uint32, name string) {
	n := w.tree.byWatch[wd]
	if n == nil {
		return
	}
	if mask&unix.IN_IGNORED != 0 {
		w.tree.ended(wd)
		return
	}
	if name == "" {
		if n == w.tree.base && mask&(unix.IN_DELETE_SELF|unix.IN_MOVE_SELF|unix.IN_UNMOUNT) != 0 {
			w.tell(Change{Kind: Removed, Folder: w.only == "", Path: w.root})
			w.failure = ErrRootGone
		}
		return // a folder's own changes are told of by the one above it
	}
	if w.only != "" && name != w.only {
		return
	}
	folder := mask&unix.IN_ISDIR != 0
	at := w.tree.pathOf(n, name)
	switch {
	case mask&unix.IN_CREATE != 0:
		w.appear(ctx, n, name, at, folder)
	case mask&unix.IN_MODIFY != 0:
		w.tell(Change{Kind: Modified, Folder: folder, Path: at})
	case mask&unix.IN_ATTRIB != 0:
		w.tell(Change{Kind: Attributes, Folder: folder, Path: at})
	case mask&unix.IN_DELETE != 0:
		w.tree.leave(n, name)
		w.tell(Change{Kind: Removed, Folder: folder, Path: at})
	case mask&unix.IN_MOVED_FROM != 0:
		// Told as a removal, until the other half shows where it went.
		w.leaving[cookie] = departure{index: len(w.changes), folder: w.tree.take(n, name)}
		w.tell(Change{Kind: Removed, Folder: folder, Path: at})
	case mask&unix.IN_MOVED_TO != 0:
		w.arrive(ctx, n, name, at, folder, cookie)
	}
}

func (w *Watcher) arrive(ctx context.Context, n *folderNode, name, at string, folder bool, cookie uint32) {
	from, known := w.leaving[cookie]
	if !known {
		w.appear(ctx, n, name, at, folder)
		return
	}
	delete(w.leaving, cookie)
	was := w.changes[from.index].Path
	// In the place of the removal: what came between the two halves is about other paths.
	w.changes[from.index] = Change{Kind: Moved, Folder: folder, Path: at, From: was}
	w.bytes += len(at)
	delete(w.said, at)
	if from.folder != nil {
		w.tree.put(from.folder, n, name)
	} else if folder && w.tree.recursive {
		w.enter(ctx, n, name, at)
	}
}

// appear tells of an entry that was not there, and of what it brings along.
func (w *Watcher) appear(ctx context.Context, n *folderNode, name, at string, folder bool) {
	w.tell(Change{Kind: Created, Folder: folder, Path: at})
	if folder && w.tree.recursive {
		w.enter(ctx, n, name, at)
	}
}

func (w *Watcher) enter(ctx context.Context, n *folderNode, name, at string) {
	err := w.walk(ctx, func() error {
		return w.tree.enter(n, name, func(path string, folder bool) {
			w.tell(Change{Kind: Created, Folder: folder, Path: path})
		})
	})
	if err != nil {
		w.tell(Change{Kind: Rescan, Folder: true, Path: at})
		w.failure = failure("watch", at, err)
	}
}

func (w *Watcher) tell(c Change) {
	bit := uint8(1) << c.Kind
	switch c.Kind {
	case Created, Modified, Attributes:
		// A new folder's entries are found twice: by looking, and by the kernel's word.
		if w.said[c.Path]&bit != 0 {
			return
		}
		w.said[c.Path] |= bit
	default:
		delete(w.said, c.Path)
	}
	if c.Kind == Removed {
		w.said[c.Path] = 0
	}
	w.changes = append(w.changes, c)
	w.bytes += len(c.Path) + len(c.From)
}

// settleDepartures ends the watches of folders that have left for good.
func (w *Watcher) settleDepartures() {
	for _, d := range w.leaving {
		if d.folder != nil {
			w.tree.drop(d.folder)
		}
	}
}
