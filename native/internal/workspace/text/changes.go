package text

// Change replaces the lines [A0,A1) of the one text by the lines [B0,B1) of the
// other.
type Change struct{ A0, A1, B0, B1 int }

// costliest bounds the work on two texts that have nothing in common: beyond so
// many edits a stretch is given up and taken as replaced whole.
const costliest = 4000

// Changes are the differences of two texts in order, by Myers' algorithm in
// linear space ("An O(ND) Difference Algorithm and Its Variations", 1986). The
// answer is always right, and shortest unless a stretch is too costly.
func Changes(a, b [][]byte) []Change {
	x, y := numbered(a, b)
	c := &comparison{x: x, y: y}
	c.compare(0, len(x), 0, len(y))
	return c.found
}

type comparison struct {
	x, y  []int
	found []Change
	// forward and backward are the furthest points reached on each diagonal.
	forward, backward []int
}

func (c *comparison) compare(a0, a1, b0, b1 int) {
	for a0 < a1 && b0 < b1 && c.x[a0] == c.y[b0] {
		a0, b0 = a0+1, b0+1
	}
	for a0 < a1 && b0 < b1 && c.x[a1-1] == c.y[b1-1] {
		a1, b1 = a1-1, b1-1
	}
	if a0 == a1 || b0 == b1 {
		c.add(Change{a0, a1, b0, b1})
		return
	}
	a, b, ok := c.middle(a0, a1, b0, b1)
	if !ok {
		c.add(Change{a0, a1, b0, b1})
		return
	}
	c.compare(a0, a, b0, b)
	c.compare(a, a1, b, b1)
}

// add joins what touches the change before.
func (c *comparison) add(change Change) {
	if change.A0 == change.A1 && change.B0 == change.B1 {
		return
	}
	if last := len(c.found) - 1; last >= 0 && c.found[last].A1 == change.A0 && c.found[last].B1 == change.B0 {
		c.found[last].A1, c.found[last].B1 = change.A1, change.B1
		return
	}
	c.found = append(c.found, change)
}

// middle finds a point on a shortest path from one corner to the other, at which
// the two halves can be compared for themselves.
func (c *comparison) middle(a0, a1, b0, b1 int) (a, b int, ok bool) {
	n, m := a1-a0, b1-b0
	most := min((n+m+1)/2, costliest)
	size := 2*most + 3
	if len(c.forward) < size {
		c.forward, c.backward = make([]int, size), make([]int, size)
	}
	forward, backward := c.forward[:size], c.backward[:size]
	middle, delta := most+1, n-m
	odd := delta%2 != 0
	forward[middle+1], backward[middle+1] = 0, 0
	for d := 0; d <= most; d++ {
		for k := -d; k <= d; k += 2 {
			x := furthest(forward, middle, k, d)
			start := x
			for x < n && x-k >= 0 && x-k < m && c.x[a0+x] == c.y[b0+x-k] {
				x++
			}
			forward[middle+k] = x
			if back := delta - k; odd && abs(back) <= d-1 && x-k >= 0 && x+backward[middle+back] >= n && inside(x, x-k, n, m) {
				return a0 + start, b0 + start - k, !(start == 0 && start-k == 0) && !(start == n && start-k == m) && inside(start, start-k, n, m)
			}
		}
		for k := -d; k <= d; k += 2 {
			x := furthest(backward, middle, k, d)
			for x < n && x-k >= 0 && x-k < m && c.x[a1-1-x] == c.y[b1-1-x+k] {
				x++
			}
			backward[middle+k] = x
			if front := delta - k; !odd && abs(front) <= d && x-k >= 0 && x+forward[middle+front] >= n && inside(x, x-k, n, m) {
				at, bt := n-x, m-(x-k)
				return a0 + at, b0 + bt, !(at == 0 && bt == 0) && !(at == n && bt == m)
			}
		}
	}
	return 0, 0, false
}

func furthest(reached []int, middle, k, d int) int {
	if k == -d || (k != d && reached[middle+k-1] < reached[middle+k+1]) {
		return reached[middle+k+1]
	}
	return reached[middle+k-1] + 1
}

func inside(x, y, n, m int) bool { return x >= 0 && x <= n && y >= 0 && y <= m }

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}
