// Package ring keeps the latest output of sessions. The cursor of a ring is the count of all
// output bytes since the session's start, over all its streams, so that one number says where a
// reader stands and the order of the streams is kept.
//
// Bytes go from the process's pipe into the ring's buffer and from there into the holder's socket
// without another copy.
package ring

import (
	"errors"
	"sort"
	"sync"

	"cortex.dev/native/internal/wire"
)

const (
	sizeStart  = 4 << 10  // a ring's first buffer
	sizeShrunk = 64 << 10 // what a live ring keeps when all rings together are over their budget
	fillMost   = wire.DataMost
	// A record of which stream wrote from where costs 16 bytes; one for each 64 bytes of buffer
	// keeps two streams that alternate byte by byte from costing more than a quarter on top.
	bytesPerRecord = 64
	recordsLeast   = 64
)

// ErrNoRoom is returned by Fill while a holder has to read first.
var ErrNoRoom = errors.New("no room before the holder has read")

// record says that the bytes from start on, up to the next record, were written with this tag.
type record struct {
	start uint64
	tag   wire.Tag
}

// Ring holds the latest bytes of one session. Its methods may be called by any goroutine.
type Ring struct {
	budget *Budget

	// writer is held by whoever reads from a pipe into the free part of the buffer, and by whoever
	// replaces the buffer. It is taken before mu.
	writer sync.Mutex

	mu      sync.Mutex
	changed sync.Cond
	buffer  []byte // byte p lies at p modulo its length
	limit   int    // bytes that the buffer may grow to now: most, or sizeShrunk
	oldest  uint64
	newest  uint64
	records []record // ascending; the first covers oldest, if there are bytes
	readers []*Reader

	held     bool    // a holder or its claim is waited for
	holder   *Reader // nil while only the claim lives
	sent     uint64  // what the holder's socket has taken
	hurried  bool    // the process has ended: nobody waits for room any more
	finished bool    // no more bytes come
	evicted  bool    // bytes were dropped after the end, for others' sake
}

// Fill calls read with free space and keeps what it read under the tag. read must not block. A ring
// that is held answers ErrNoRoom where only the holder can make room; else the oldest bytes go.
func (r *Ring) Fill(tag wire.Tag, read func([]byte) (int, error)) (int, error) {
	return r.fill(tag, read, false)
}

// Force is Fill for bytes that are few and must not be lost: where only the holder could make room,
// the buffer grows.
func (r *Ring) Force(tag wire.Tag, read func([]byte) (int, error)) (int, error) {
	return r.fill(tag, read, true)
}

func (r *Ring) fill(tag wire.Tag, read func([]byte) (int, error), force bool) (int, error) {
	r.grow(force)
	r.writer.Lock()
	defer r.writer.Unlock()
	r.mu.Lock()
	free := r.reserve(force)
	r.mu.Unlock()
	if len(free) == 0 {
		return 0, ErrNoRoom
	}
	n, err := read(free)
	if n <= 0 {
		return 0, err
	}
	r.mu.Lock()
	r.commit(tag, n)
	r.mu.Unlock()
	return n, err
}

// Write keeps all of p under the tag, whatever holders wait for; it is for the neuron's own words.
func (r *Ring) Write(tag wire.Tag, p []byte) {
	for len(p) > 0 {
		n, err := r.Force(tag, func(free []byte) (int, error) { return copy(free, p), nil })
		if err != nil {
			return
		}
		p = p[n:]
	}
}

// AwaitRoom returns true when Fill can take bytes, and false when it cannot and Hurry was called.
func (r *Ring) AwaitRoom() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for !r.hasRoom() {
		if r.hurried {
			return false
		}
		r.changed.Wait()
	}
	return true
}

// Hurry ends the waiting for room: the process has ended.
func (r *Ring) Hurry() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.hurried = true
	r.changed.Broadcast()
}

// Finish tells readers that no more bytes come.
func (r *Ring) Finish() { r.budget.finish(r) }

// Forget drops all bytes of a finished ring.
func (r *Ring) Forget() { r.budget.forget(r) }

// Claim makes writers wait for a holder that is about to come; it has nothing yet.
func (r *Ring) Claim() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.held, r.holder, r.sent = true, nil, r.oldest
}

// Hold makes writers wait for the reader, in the place of the holder that there was.
func (r *Ring) Hold(reader *Reader) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.held, r.holder, r.sent = true, reader, max(reader.position, r.oldest)
	r.changed.Broadcast()
}

// Release ends the hold: from now on the oldest bytes make room.
func (r *Ring) Release() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.held, r.holder = false, nil
	r.changed.Broadcast()
}

// Bounds returns the cursors of the oldest byte kept and behind the newest, and whether bytes were
// dropped after the end.
func (r *Ring) Bounds() (oldest, newest uint64, evicted bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.oldest, r.newest, r.evicted
}

// unsentMost is how much a holder may be behind: a quarter, so that three quarters stay for bytes
// that were sent and are lost in flight when the host's daemon dies.
func (r *Ring) unsentMost() int { return r.limit / 4 }

func (r *Ring) hasRoom() bool {
	if r.held && r.unsentRoom() <= 0 {
		return false
	}
	return len(r.buffer) < r.limit || r.used() < len(r.buffer) || r.evictable() > 0
}

func (r *Ring) unsentRoom() int {
	if r.unsentRecords() >= max(r.recordsMost()/4, 1) {
		return 0
	}
	return r.unsentMost() - int(r.newest-r.sent)
}

func (r *Ring) used() int { return int(r.newest - r.oldest) }

func (r *Ring) recordsMost() int { return max(r.limit/bytesPerRecord, recordsLeast) }

func (r *Ring) unsentRecords() int {
	return len(r.records) - sort.Search(len(r.records), func(i int) bool { return r.records[i].start >= r.sent })
}

// evictable is how many of the oldest bytes may go.
func (r *Ring) evictable() int {
	end := r.newest
	if r.held {
		end = r.sent
	}
	for _, reader := range r.readers {
		if reader.inFlight {
			end = min(end, reader.position)
		}
	}
	if end < r.oldest {
		return 0
	}
	return int(end - r.oldest)
}

// reserve returns the free part of the buffer that the next bytes go into, at most fillMost.
func (r *Ring) reserve(force bool) []byte {
	want := min(fillMost, max(len(r.buffer)/4, 1))
	if r.held && !force {
		want = min(want, r.unsentRoom())
		if want <= 0 {
			return nil
		}
	}
	if missing := want - (len(r.buffer) - r.used()); missing > 0 {
		r.evict(r.oldest + uint64(min(missing, r.evictable())))
	}
	free := len(r.buffer) - r.used()
	if free == 0 {
		return nil
	}
	if r.held && !force {
		free = min(free, r.unsentRoom())
	}
	from := r.index(r.newest)
	return r.buffer[from:min(from+min(free, fillMost), len(r.buffer))]
}

func (r *Ring) index(position uint64) int { return int(position % uint64(len(r.buffer))) }

func (r *Ring) commit(tag wire.Tag, n int) {
	if len(r.records) == 0 || r.records[len(r.records)-1].tag != tag {
		r.records = append(r.records, record{r.newest, tag})
	}
	r.newest += uint64(n)
	if excess := len(r.records) - r.recordsMost(); excess > 0 {
		r.evict(min(r.records[excess].start, r.oldest+uint64(r.evictable())))
	}
	r.changed.Broadcast()
}

// evict drops the bytes before the cursor.
func (r *Ring) evict(to uint64) {
	if to <= r.oldest {
		return
	}
	r.oldest = to
	keep := sort.Search(len(r.records), func(i int) bool { return r.records[i].start > to }) - 1
	if r.oldest == r.newest {
		keep = len(r.records)
	}
	if keep > 0 {
		r.records = r.records[keep:]
	}
}

// grow makes the buffer larger, as long as limit and budget allow, when the next bytes would
// otherwise push out older ones or have to wait.
func (r *Ring) grow(force bool) {
	for {
		r.mu.Lock()
		size, target := len(r.buffer), r.growTarget(force)
		r.mu.Unlock()
		if target <= size {
			return
		}
		if !r.budget.reserve(target-size, force || size == 0) {
			r.mu.Lock()
			r.limit = max(len(r.buffer), sizeStart)
			r.mu.Unlock()
			return
		}
		r.writer.Lock()
		r.mu.Lock()
		fits := len(r.buffer) == size
		if fits {
			r.resize(target)
		}
		r.mu.Unlock()
		r.writer.Unlock()
		if !fits {
			r.budget.release(target - size)
		}
	}
}

// growTarget is the size that the buffer should have now.
func (r *Ring) growTarget(force bool) int {
	size := len(r.buffer)
	if size-r.used() >= max(size/4, 1) {
		return size
	}
	next := max(2*size, sizeStart)
	if next <= r.limit {
		return next
	}
	if size < r.limit {
		return r.limit
	}
	if force && r.evictable() == 0 {
		return next
	}
	return size
}

// resize replaces the buffer by one of another size, which must hold all bytes that are kept. The
// old one stays whole for a reader in flight.
func (r *Ring) resize(size int) {
	old, oldLength := r.buffer, uint64(len(r.buffer))
	r.buffer = make([]byte, size)
	for p := r.oldest; p < r.newest; {
		from := int(p % oldLength)
		n := min(len(old)-from, int(r.newest-p))
		n = copy(r.buffer[r.index(p):], old[from:from+n])
		p += uint64(n)
	}
	r.changed.Broadcast()
}

// shrink makes a live ring small and returns how many bytes that freed.
func (r *Ring) shrink() int {
	r.writer.Lock()
	defer r.writer.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.limit = min(r.limit, sizeShrunk)
	before := len(r.buffer)
	if excess := r.used() - sizeShrunk; excess > 0 {
		r.evict(r.oldest + uint64(min(excess, r.evictable())))
	}
	if size := max(sizeShrunk, r.used()); size < before {
		r.resize(size)
	}
	return before - len(r.buffer)
}

// trim ends the writing, gives back what is not used, and returns how many bytes that freed.
func (r *Ring) trim() int {
	r.writer.Lock()
	defer r.writer.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.finished = true
	before := len(r.buffer)
	switch used := r.used(); {
	case used == 0:
		r.buffer = nil
	case used < before-before/8:
		r.resize(used)
	}
	r.changed.Broadcast()
	return before - len(r.buffer)
}

// drop forgets all bytes and returns how many bytes that freed, or false while a holder has not
// read them.
func (r *Ring) drop(evenHeld bool) (int, bool) {
	r.writer.Lock()
	defer r.writer.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.held && r.sent < r.newest && !evenHeld {
		return 0, false
	}
	freed := len(r.buffer)
	r.evicted = r.evicted || r.used() > 0
	r.oldest = r.newest
	r.buffer, r.records = nil, nil
	r.changed.Broadcast()
	return freed, true
}
