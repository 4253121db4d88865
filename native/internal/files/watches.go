package files

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// ErrRootGone ends a watch whose file or folder was removed or moved away.
var ErrRootGone = errors.New("what was watched has gone")

// WatchesMost run at once: each has one of the few inotify instances that a user may have.
const WatchesMost = 8

// Watch says what is to be watched; the fields are those of the protocol's WatchRequest.
type Watch struct {
	ID        string
	Path      string
	Recursive bool
}

// Watches holds what was asked for until its stream opens, and counts what runs. Safe for concurrent use.
type Watches struct {
	now      func() time.Time
	mutex    sync.Mutex
	prepared map[string]preparedWatch
	running  int
}

type preparedWatch struct {
	watch    Watch
	caller   Caller
	path     string
	file     bool
	deadline time.Time
}

// NewWatches gives an empty set that reads the time from now.
func NewWatches(now func() time.Time) *Watches {
	return &Watches{now: now, prepared: map[string]preparedWatch{}}
}

// Prepare looks whether a watch can begin, and holds it under its id.
func (w *Watches) Prepare(c Caller, watch Watch) error {
	if watch.ID == "" || len(watch.ID) > idBytesMost {
		return invalid("", "a watch id has 1 to %d bytes", idBytesMost)
	}
	path, err := c.absolute(watch.Path)
	if err != nil {
		return err
	}
	next := preparedWatch{watch: watch, caller: c}
	err = c.as(func() error {
		// What the kernel tells is about the real place; links on the way are followed once, here.
		resolved, exists, err := resolve(path)
		if err != nil {
			return err
		}
		if !exists {
			return unix.ENOENT
		}
		var st unix.Stat_t
		if err := unix.Stat(resolved, &st); err != nil {
			return err
		}
		next.path, next.file = resolved, st.Mode&unix.S_IFMT != unix.S_IFDIR
		return nil
	})
	if err != nil {
		return failure("watch", path, err)
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	now := w.now()
	for id, waiting := range w.prepared {
		if waiting.deadline.Before(now) {
			delete(w.prepared, id)
		}
	}
	if _, taken := w.prepared[watch.ID]; taken {
		return &Error{Code: AlreadyExists, Message: "the watch " + quoted(watch.ID) + " is prepared already", Remedy: "mint a new id"}
	}
	if len(w.prepared) >= PreparedMost {
		return &Error{Code: Capacity, Message: "too many watches wait for their stream", Remedy: "open or wait for those that were prepared"}
	}
	next.deadline = now.Add(Forgotten)
	w.prepared[watch.ID] = next
	return nil
}

// Open begins a prepared watch, once: a second time it is not found.
func (w *Watches) Open(ctx context.Context, id string, slots Slots) (*Watcher, error) {
	p, err := w.claim(id)
	if err != nil {
		return nil, err
	}
	var once sync.Once
	watcher := &Watcher{caller: p.caller, root: p.path, slots: slots, done: func() { once.Do(w.leave) }}
	if p.file {
		_, watcher.only = splitFile(p.path)
	}
	if err := watcher.begin(ctx, p.watch.Recursive); err != nil {
		watcher.done()
		return nil, err
	}
	return watcher, nil
}

func (w *Watches) claim(id string) (preparedWatch, error) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	p, ok := w.prepared[id]
	delete(w.prepared, id)
	if !ok || p.deadline.Before(w.now()) {
		return p, &Error{Code: NotFound, Message: "there is no watch " + quoted(id), Remedy: "ask for it again"}
	}
	if w.running >= WatchesMost {
		return p, &Error{
			Code: Capacity, Message: fmt.Sprintf("%d watches run in this sandbox already", WatchesMost), Remedy: "end one of them",
		}
	}
	w.running++
	return p, nil
}

func (w *Watches) leave() {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.running--
}
