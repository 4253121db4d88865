package text

import (
	"bytes"
	"fmt"
)

// Conflict is where both sides changed the same lines in different ways.
type Conflict struct {
	// First and Last are lines of ours, from 1 on; Last is before First where
	// ours has none there.
	First, Last int
}

func (c Conflict) String() string {
	if c.Last <= c.First {
		return fmt.Sprintf("line %d", c.First)
	}
	return fmt.Sprintf("lines %d to %d", c.First, c.Last)
}

// Merge puts the changes from base to theirs into ours. Changes of both that
// overlap or touch are a conflict unless they say the same; then there is no
// result.
func Merge(base, ours, theirs []byte) ([]byte, []Conflict) {
	o, a, b := Lines(base), Lines(ours), Lines(theirs)
	m := merging{base: o, ours: a, theirs: b, left: Changes(o, a), right: Changes(o, b)}
	return m.run()
}

type merging struct {
	base, ours, theirs [][]byte
	left, right        []Change
	out                bytes.Buffer
	at                 int // of base
	conflicts          []Conflict
}

func (m *merging) run() ([]byte, []Conflict) {
	for len(m.left) > 0 || len(m.right) > 0 {
		switch {
		case len(m.right) == 0 || (len(m.left) > 0 && before(m.left[0], m.right[0])):
			m.take(m.left[0], m.ours)
			m.left = m.left[1:]
		case len(m.left) == 0 || before(m.right[0], m.left[0]):
			m.take(m.right[0], m.theirs)
			m.right = m.right[1:]
		default:
			m.both()
		}
	}
	if len(m.conflicts) > 0 {
		return nil, m.conflicts
	}
	m.keep(len(m.base))
	return m.out.Bytes(), nil
}

// before: with an unchanged line between.
func before(a, b Change) bool { return a.A1 < b.A0 }

func (m *merging) keep(until int) {
	for _, line := range m.base[m.at:until] {
		m.out.Write(line)
	}
	m.at = until
}

func (m *merging) take(c Change, side [][]byte) {
	m.keep(c.A0)
	for _, line := range side[c.B0:c.B1] {
		m.out.Write(line)
	}
	m.at = c.A1
}

// both gathers the changes of either side that hang together, and takes them if
// they come to the same.
func (m *merging) both() {
	left, right := m.left[0], m.right[0]
	m.left, m.right = m.left[1:], m.right[1:]
	for grown := true; grown; {
		grown = false
		end := max(left.A1, right.A1)
		if len(m.left) > 0 && m.left[0].A0 <= end {
			left.A1, left.B1, m.left, grown = m.left[0].A1, m.left[0].B1, m.left[1:], true
		}
		if len(m.right) > 0 && m.right[0].A0 <= end {
			right.A1, right.B1, m.right, grown = m.right[0].A1, m.right[0].B1, m.right[1:], true
		}
	}
	begin, end := min(left.A0, right.A0), max(left.A1, right.A1)
	left, right = widened(left, begin, end), widened(right, begin, end)
	if !bytes.Equal(bytes.Join(m.ours[left.B0:left.B1], nil), bytes.Join(m.theirs[right.B0:right.B1], nil)) {
		m.conflicts = append(m.conflicts, Conflict{left.B0 + 1, left.B1})
	}
	m.take(left, m.ours)
}

// widened: what lies around a change is the same on both sides.
func widened(c Change, begin, end int) Change {
	return Change{begin, end, c.B0 - (c.A0 - begin), c.B1 + (end - c.A1)}
}
