package ring

import (
	"slices"
	"sync"
)

// Budget bounds the memory of all rings together. When it is used up, finished rings lose their
// bytes, those that finished first first; then live rings shrink; then Admit refuses.
type Budget struct {
	most int // of one ring, bytes

	// mu is taken before any lock of a ring.
	mu       sync.Mutex
	total    int
	used     int
	live     map[*Ring]struct{}
	finished []*Ring // in the order in which they finished
}

// NewBudget bounds one ring, and all of them, in bytes.
func NewBudget(one, all int) *Budget {
	return &Budget{most: max(one, sizeStart), total: max(all, sizeStart), live: map[*Ring]struct{}{}}
}

// Admit makes a ring, or returns false when all rings are as small as they get and there is no
// room for another.
func (b *Budget) Admit() (*Ring, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.makeRoom(sizeStart) {
		return nil, false
	}
	r := &Ring{budget: b, limit: b.most}
	r.changed.L = &r.mu
	b.live[r] = struct{}{}
	return r, true
}

// Used is the memory of all rings, in bytes.
func (b *Budget) Used() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used
}

func (b *Budget) reserve(bytes int, forced bool) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.makeRoom(bytes) && !forced {
		return false
	}
	b.used += bytes
	return true
}

func (b *Budget) release(bytes int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used -= bytes
}

func (b *Budget) makeRoom(bytes int) bool {
	if b.used+bytes <= b.total {
		return true
	}
	b.dropFinished(bytes)
	if b.used+bytes <= b.total {
		return true
	}
	for r := range b.live {
		b.used -= r.shrink()
	}
	return b.used+bytes <= b.total
}

func (b *Budget) dropFinished(bytes int) {
	b.finished = slices.DeleteFunc(b.finished, func(r *Ring) bool {
		if b.used+bytes <= b.total {
			return false
		}
		freed, dropped := r.drop(false)
		b.used -= freed
		return dropped
	})
}

func (b *Budget) finish(r *Ring) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, live := b.live[r]; !live {
		return
	}
	delete(b.live, r)
	b.used -= r.trim()
	b.finished = append(b.finished, r)
}

func (b *Budget) forget(r *Ring) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.live, r)
	freed, _ := r.drop(true)
	b.used -= freed
	b.finished = slices.DeleteFunc(b.finished, func(other *Ring) bool { return other == r })
}
