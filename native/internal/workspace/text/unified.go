package text

import (
	"bytes"
	"strconv"
)

// context is how many unchanged lines stand around a change.
const context = 3

// Unified writes changes as hunks that patch and git apply understand.
func Unified(to *bytes.Buffer, a, b [][]byte, changes []Change) {
	for len(changes) > 0 {
		size := 1
		for size < len(changes) && changes[size].A0-changes[size-1].A1 <= 2*context {
			size++
		}
		hunk(to, a, b, changes[:size])
		changes = changes[size:]
	}
}

func hunk(to *bytes.Buffer, a, b [][]byte, changes []Change) {
	first, last := changes[0], changes[len(changes)-1]
	lead := min(context, first.A0)
	trail := min(context, len(a)-last.A1)
	to.WriteString("@@ -")
	span(to, first.A0-lead, last.A1+trail)
	to.WriteString(" +")
	span(to, first.B0-lead, last.B1+trail)
	to.WriteString(" @@\n")
	at := first.A0 - lead
	for _, change := range changes {
		lines(to, ' ', a[at:change.A0])
		lines(to, '-', a[change.A0:change.A1])
		lines(to, '+', b[change.B0:change.B1])
		at = change.A1
	}
	lines(to, ' ', a[at:last.A1+trail])
}

func span(to *bytes.Buffer, begin, end int) {
	first := begin + 1
	if begin == end {
		first = begin
	}
	to.WriteString(strconv.Itoa(first))
	if end-begin != 1 {
		to.WriteByte(',')
		to.WriteString(strconv.Itoa(end - begin))
	}
}

func lines(to *bytes.Buffer, sign byte, all [][]byte) {
	for _, line := range all {
		to.WriteByte(sign)
		to.Write(line)
		if line[len(line)-1] != '\n' {
			to.WriteString("\n\\ No newline at end of file\n")
		}
	}
}

// Counted says how many lines changes add and take away.
func Counted(changes []Change) (added, removed int) {
	for _, change := range changes {
		added += change.B1 - change.B0
		removed += change.A1 - change.A0
	}
	return added, removed
}
