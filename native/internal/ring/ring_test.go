package ring

import (
	"bytes"
	"math/rand/v2"
	"sync"
	"testing"

	"cortex.dev/native/internal/wire"
)

const (
	kib = 1 << 10
	mib = 1 << 20
)

func admit(t testing.TB, b *Budget) *Ring {
	t.Helper()
	r, ok := b.Admit()
	if !ok {
		t.Fatal("not admitted")
	}
	return r
}

// put fills all of p in, or fails.
func put(t testing.TB, r *Ring, tag wire.Tag, p []byte) {
	t.Helper()
	for len(p) > 0 {
		n, err := r.Fill(tag, func(free []byte) (int, error) { return copy(free, p), nil })
		if err != nil {
			t.Fatal(err)
		}
		p = p[n:]
	}
}

// offer fills in as much of p as there is room for.
func offer(r *Ring, tag wire.Tag, p []byte) (taken int) {
	for taken < len(p) {
		n, err := r.Fill(tag, func(free []byte) (int, error) { return copy(free, p[taken:]), nil })
		if err != nil {
			break
		}
		taken += n
	}
	return taken
}

func reader(t testing.TB, r *Ring, cursor uint64, holds bool) *Reader {
	t.Helper()
	d, ok := r.NewReader(cursor, holds)
	if !ok {
		t.Fatalf("cursor %d refused", cursor)
	}
	return d
}

// rest reads everything up to the end of a finished ring.
func rest(t testing.TB, d *Reader) (all []byte, gaps int) {
	t.Helper()
	for {
		c, err := d.Next()
		if err != nil {
			t.Fatal(err)
		}
		if c.End {
			return all, gaps
		}
		if c.Gap {
			gaps++
		}
		all = append(append(all, c.A...), c.B...)
	}
}

// pattern is a byte that depends on its cursor.
func pattern(from uint64, n int) []byte {
	p := make([]byte, n)
	for i := range p {
		x := from + uint64(i)
		p[i] = byte(x ^ x>>8 ^ x>>16)
	}
	return p
}

func TestARingWithoutOutputTakesNoMemory(t *testing.T) {
	b := NewBudget(mib, 64*mib)
	admit(t, b)
	if b.Used() != 0 {
		t.Fatalf("%d bytes", b.Used())
	}
}

func TestARingStartsSmallAndKeepsNoMoreThanItNeedsAtTheEnd(t *testing.T) {
	b := NewBudget(mib, 64*mib)
	r := admit(t, b)
	put(t, r, wire.TagStdout, []byte("hello"))
	if b.Used() != 4*kib {
		t.Fatalf("%d bytes for five", b.Used())
	}
	r.Finish()
	if b.Used() != 5 {
		t.Fatalf("%d bytes are kept of five", b.Used())
	}
	if all, gaps := rest(t, reader(t, r, 0, false)); string(all) != "hello" || gaps != 0 {
		t.Fatalf("got %q", all)
	}
}

func TestTagsAndOrderAreKept(t *testing.T) {
	r := admit(t, NewBudget(mib, 64*mib))
	put(t, r, wire.TagStdout, []byte("a"))
	put(t, r, wire.TagStdout, []byte("b"))
	put(t, r, wire.TagStderr, []byte("c"))
	put(t, r, wire.TagStdout, []byte("d"))
	d := reader(t, r, 0, true)
	for _, want := range []struct {
		tag  wire.Tag
		text string
	}{{wire.TagStdout, "ab"}, {wire.TagStderr, "c"}, {wire.TagStdout, "d"}} {
		c, err := d.Next()
		if err != nil || c.Tag != want.tag || string(c.A)+string(c.B) != want.text {
			t.Fatalf("got %+v, %v", c, err)
		}
	}
}

func TestACursorInTheMiddleOfARecordReadsItsRest(t *testing.T) {
	r := admit(t, NewBudget(mib, 64*mib))
	put(t, r, wire.TagStderr, []byte("abcdef"))
	c, err := reader(t, r, 4, false).Next()
	if err != nil || c.Cursor != 4 || c.Tag != wire.TagStderr || string(c.A) != "ef" {
		t.Fatalf("got %+v, %v", c, err)
	}
	if _, ok := r.NewReader(7, false); ok {
		t.Fatal("a cursor ahead of the newest byte was taken")
	}
	if d := reader(t, r, wire.CursorLive, false); d.position != 6 {
		t.Fatalf("live is at %d", d.position)
	}
}

func TestThreeQuartersOfWhatAHolderWasSentCanBeReadAgain(t *testing.T) {
	r := admit(t, NewBudget(mib, 64*mib))
	d := reader(t, r, 0, true)
	r.Hold(d)
	sent := uint64(0)
	for sent < 20*mib {
		offer(r, wire.TagStdout, pattern(r.newest, 300*kib))
		if unsent := int(r.newest - r.sent); unsent > mib/4 {
			t.Fatalf("%d bytes are unsent", unsent)
		}
		if sent > 4*mib && r.sent-r.oldest < 3*mib/4 {
			t.Fatalf("only %d bytes can be replayed", r.sent-r.oldest)
		}
		c, err := d.Next()
		if err != nil || c.Cursor != sent || !bytes.Equal(append(bytes.Clone(c.A), c.B...), pattern(sent, c.Len())) {
			t.Fatalf("at %d: %d bytes, %v", sent, c.Len(), err)
		}
		sent += uint64(c.Len())
	}
}

func TestAHeldRingRefusesBytesUntilItsHolderHasReadAndAReleasedOneDoesNot(t *testing.T) {
	r := admit(t, NewBudget(64*kib, 64*mib))
	r.Claim()
	if taken := offer(r, wire.TagStdout, make([]byte, mib)); taken != 16*kib {
		t.Fatalf("%d bytes were taken under a claim", taken)
	}
	r.Release()
	if taken := offer(r, wire.TagStdout, make([]byte, mib)); taken != mib {
		t.Fatalf("%d bytes were taken without one", taken)
	}
}

func TestWhatIsForcedIntoAHeldRingLosesNothing(t *testing.T) {
	r := admit(t, NewBudget(64*kib, 64*mib))
	r.Claim()
	taken := offer(r, wire.TagStdout, pattern(0, mib))
	r.Hurry()
	if r.AwaitRoom() || offer(r, wire.TagStdout, []byte("x")) != 0 {
		t.Fatal("there is room")
	}
	r.Write(wire.TagStdout, pattern(uint64(taken), mib-taken))
	r.Finish()
	if all, gaps := rest(t, reader(t, r, 0, true)); gaps != 0 || !bytes.Equal(all, pattern(0, mib)) {
		t.Fatalf("got %d bytes and %d gaps", len(all), gaps)
	}
}

func TestStreamsThatAlternateByteByByteStayBounded(t *testing.T) {
	r := admit(t, NewBudget(64*kib, 64*mib))
	for i := range 200_000 {
		put(t, r, wire.Tag(1+i%2), []byte{byte(i)})
	}
	if len(r.records) > r.recordsMost() || cap(r.records) > 4*r.recordsMost() {
		t.Fatalf("%d records in room for %d", len(r.records), cap(r.records))
	}
	r.Finish()
	d := reader(t, r, r.oldest, false)
	for at := r.oldest; at < r.newest; at++ {
		if c, err := d.Next(); err != nil || c.Tag != wire.Tag(1+at%2) || c.A[0] != byte(at) {
			t.Fatalf("at %d: %+v, %v", at, c, err)
		}
	}
}

func TestAHeldRingBoundsRecordsToo(t *testing.T) {
	r := admit(t, NewBudget(64*kib, 64*mib))
	r.Claim()
	for i := range 200_000 {
		if offer(r, wire.Tag(1+i%2), []byte{1}) == 0 {
			break
		}
	}
	if r.hasRoom() || r.oldest != 0 || len(r.records) > r.recordsMost() {
		t.Fatalf("room %v, oldest %d, %d records", r.hasRoom(), r.oldest, len(r.records))
	}
}

func TestFinishedRingsLoseTheirBytesFirstInTheOrderOfTheirEnd(t *testing.T) {
	b := NewBudget(mib, 2*mib)
	rings := make([]*Ring, 4)
	for i := range rings {
		rings[i] = admit(t, b)
		put(t, rings[i], wire.TagStdout, make([]byte, 500*kib))
		rings[i].Finish()
	}
	live := admit(t, b)
	put(t, live, wire.TagStdout, make([]byte, 600*kib))
	var evicted []bool
	for _, r := range rings {
		_, _, gone := r.Bounds()
		evicted = append(evicted, gone)
	}
	if !evicted[0] || !evicted[1] || evicted[3] {
		t.Fatalf("evicted: %v", evicted)
	}
	if b.Used() > 2*mib {
		t.Fatalf("%d bytes are used", b.Used())
	}
}

func TestThenLiveRingsShrinkAndThenNoneIsAdmitted(t *testing.T) {
	b := NewBudget(mib, 2*mib)
	var rings []*Ring
	for range 8 {
		r := admit(t, b)
		put(t, r, wire.TagStdout, pattern(0, mib))
		rings = append(rings, r)
	}
	if b.Used() > 2*mib {
		t.Fatalf("%d bytes are used", b.Used())
	}
	for i, r := range rings {
		r.mu.Lock()
		size := len(r.buffer)
		r.mu.Unlock()
		if size < 4*kib {
			t.Fatalf("ring %d has %d bytes left", i, size)
		}
	}
	for range 1_000 {
		r, ok := b.Admit()
		if !ok {
			return
		}
		put(t, r, wire.TagStdout, make([]byte, 128*kib))
	}
	t.Fatal("a thousand more were admitted")
}

func TestABudgetDoesNotTakeWhatAHolderHasNotRead(t *testing.T) {
	b := NewBudget(mib, mib)
	held := admit(t, b)
	held.Claim()
	put(t, held, wire.TagStdout, pattern(0, 200*kib))
	held.Finish()
	for range 5 {
		other := admit(t, b)
		put(t, other, wire.TagStdout, make([]byte, mib))
		other.Finish()
	}
	if all, gaps := rest(t, reader(t, held, 0, true)); gaps != 0 || !bytes.Equal(all, pattern(0, 200*kib)) {
		t.Fatalf("got %d bytes and %d gaps", len(all), gaps)
	}
}

func TestForgettingFreesEverything(t *testing.T) {
	b := NewBudget(mib, 64*mib)
	r := admit(t, b)
	put(t, r, wire.TagStdout, make([]byte, mib))
	r.Finish()
	r.Forget()
	if b.Used() != 0 {
		t.Fatalf("%d bytes are used", b.Used())
	}
	if _, gaps := rest(t, reader(t, r, 0, false)); gaps != 1 {
		t.Fatalf("%d gaps", gaps)
	}
}

func TestEveryByteThatAReaderGetsIsTheOneAtItsCursor(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 30 {
		b := NewBudget(int(random.Int64N(mib)), 8*mib)
		var group sync.WaitGroup
		for range 4 {
			r := admit(t, b)
			total := uint64(random.Int64N(4 * mib))
			holder := reader(t, r, 0, true)
			r.Hold(holder)
			observer := reader(t, r, 0, false)
			size := 1 + random.IntN(100_000)
			group.Add(3)
			go func() {
				defer group.Done()
				for written := uint64(0); written < total; {
					r.AwaitRoom()
					n, err := r.Fill(wire.TagStdout, func(free []byte) (int, error) {
						return copy(free, pattern(written, int(min(total-written, uint64(size))))), nil
					})
					if err == nil {
						written += uint64(n)
					}
				}
				r.Finish()
			}()
			go follow(t, &group, holder, total, false)
			go follow(t, &group, observer, total, true)
		}
		group.Wait()
	}
}

func follow(t *testing.T, group *sync.WaitGroup, d *Reader, total uint64, mayGap bool) {
	defer group.Done()
	defer d.Close()
	at := uint64(0)
	for {
		c, err := d.Next()
		switch {
		case err != nil:
			t.Error(err)
			return
		case c.End:
			if at != total {
				t.Errorf("the end came at %d of %d", at, total)
			}
			return
		case c.Gap && mayGap && c.Cursor > at:
			at = c.Cursor
		case c.Gap || c.Cursor != at || !bytes.Equal(c.A, pattern(at, len(c.A))) || !bytes.Equal(c.B, pattern(at+uint64(len(c.A)), len(c.B))):
			t.Errorf("at %d: wrong %d bytes from %d, gap %v", at, c.Len(), c.Cursor, c.Gap)
			return
		default:
			at += uint64(c.Len())
		}
	}
}

func BenchmarkFillAndRead(b *testing.B) {
	r, _ := NewBudget(mib, 64*mib).Admit()
	d, _ := r.NewReader(0, true)
	r.Hold(d)
	b.SetBytes(wire.DataMost)
	for b.Loop() {
		if _, err := r.Fill(wire.TagStdout, func(free []byte) (int, error) { return len(free), nil }); err != nil {
			b.Fatal(err)
		}
		if _, err := d.Next(); err != nil {
			b.Fatal(err)
		}
	}
}
