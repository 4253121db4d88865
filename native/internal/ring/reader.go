package ring

import (
	"slices"
	"sort"

	"cortex.dev/native/internal/wire"
)

// chunkMost is how much a holder gets at once: with two full frames in one call, a socket's buffer
// (208 KiB by default) takes the whole of it.
const chunkMost = 2 * wire.DataMost

// Reader follows one ring from a cursor on. It belongs to one goroutine, but for Cancel.
type Reader struct {
	ring     *Ring
	holds    bool
	position uint64
	inFlight bool // the last Chunk points into the buffer, and its flight bytes are not yet written
	flight   int
	cancel   error
	copied   []byte
}

// Chunk is what comes next: a Gap, or bytes of one stream in two parts, the second of which is
// mostly empty, or the End.
type Chunk struct {
	Gap    bool
	End    bool
	Cursor uint64 // of the first byte
	Tag    wire.Tag
	A, B   []byte
}

// Len is the number of bytes.
func (c Chunk) Len() int { return len(c.A) + len(c.B) }

// NewReader makes a reader that begins at the cursor, wire.CursorLive being the newest. It returns
// false for a cursor ahead of the newest byte. A reader that is to hold gets the ring's own memory.
func (r *Ring) NewReader(cursor uint64, holds bool) (*Reader, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if cursor == wire.CursorLive {
		cursor = r.newest
	}
	if cursor > r.newest {
		return nil, false
	}
	reader := &Reader{ring: r, holds: holds, position: cursor}
	r.readers = append(r.readers, reader)
	return reader, true
}

// Next waits for what comes next, at most two frames' bytes, which stay valid until the next call;
// that call says that they have been written. It returns the error of Cancel at once.
func (d *Reader) Next() (Chunk, error) {
	r := d.ring
	r.mu.Lock()
	defer r.mu.Unlock()
	d.land()
	for {
		switch {
		case d.cancel != nil:
			return Chunk{}, d.cancel
		case d.position < r.oldest:
			d.move(r.oldest)
			return Chunk{Gap: true, Cursor: r.oldest}, nil
		case d.position < r.newest:
			return d.take(), nil
		case r.finished:
			return Chunk{End: true, Cursor: r.newest}, nil
		}
		r.changed.Wait()
	}
}

// Cancel makes Next return the error, now and from now on.
func (d *Reader) Cancel(err error) {
	d.ring.mu.Lock()
	defer d.ring.mu.Unlock()
	if d.cancel == nil {
		d.cancel = err
	}
	d.ring.changed.Broadcast()
}

// Close ends the reading. Bytes that were in flight count as not sent.
func (d *Reader) Close() {
	r := d.ring
	r.mu.Lock()
	defer r.mu.Unlock()
	r.readers = slices.DeleteFunc(r.readers, func(other *Reader) bool { return other == d })
	if r.holder == d {
		r.holder = nil
	}
	r.changed.Broadcast()
}

func (d *Reader) take() Chunk {
	r := d.ring
	at := sort.Search(len(r.records), func(i int) bool { return r.records[i].start > d.position }) - 1
	end := r.newest
	if at+1 < len(r.records) {
		end = r.records[at+1].start
	}
	n := int(min(end-d.position, chunkMost))
	from := r.index(d.position)
	c := Chunk{Cursor: d.position, Tag: r.records[at].tag, A: r.buffer[from:min(from+n, len(r.buffer))]}
	c.B = r.buffer[:n-len(c.A)]
	if d.holds {
		d.inFlight, d.flight = true, n
		return c
	}
	// An observer never stops the process: its bytes may be overwritten while it still sends.
	d.copied = append(append(d.copied[:0], c.A...), c.B...)
	c.A, c.B = d.copied, nil
	d.move(d.position + uint64(n))
	return c
}

// land moves a holder on behind the bytes that were in flight.
func (d *Reader) land() {
	if d.inFlight {
		d.inFlight = false
		d.move(d.position + uint64(d.flight))
	}
}

func (d *Reader) move(to uint64) {
	d.position = to
	if d.ring.holder == d {
		d.ring.sent = to
		d.ring.changed.Broadcast()
	}
}
