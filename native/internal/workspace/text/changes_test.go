package text

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
)

// patched replays changes on a.
func patched(a, b [][]byte, changes []Change) [][]byte {
	var out [][]byte
	at := 0
	for _, c := range changes {
		out = append(out, a[at:c.A0]...)
		out = append(out, b[c.B0:c.B1]...)
		at = c.A1
	}
	return append(out, a[at:]...)
}

func TestChangesLeadFromOneTextToTheOther(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for round := range 5000 {
		a, b := made(random, round), made(random, round)
		changes := Changes(a, b)
		if got := patched(a, b, changes); !bytes.Equal(bytes.Join(got, nil), bytes.Join(b, nil)) {
			t.Fatalf("%q\n%q\n%v", a, b, changes)
		}
		for i := 1; i < len(changes); i++ {
			if changes[i-1].A1 >= changes[i].A0 {
				t.Fatalf("they touch: %v", changes)
			}
		}
	}
}

func made(random *rand.Rand, round int) [][]byte {
	lines := make([][]byte, random.IntN(1+round%40))
	for i := range lines {
		lines[i] = fmt.Appendf(nil, "%d\n", random.IntN(1+round%7))
	}
	return lines
}

func TestTheyAreShortest(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for round := range 2000 {
		a, b := made(random, round), made(random, round)
		edits := 0
		for _, c := range Changes(a, b) {
			edits += c.A1 - c.A0 + c.B1 - c.B0
		}
		if shortest := len(a) + len(b) - 2*common(a, b); edits != shortest {
			t.Fatalf("%d edits, %d would do: %q %q", edits, shortest, a, b)
		}
	}
}

// common is the length of the longest common subsequence, by the book.
func common(a, b [][]byte) int {
	table := make([][]int, len(a)+1)
	for i := range table {
		table[i] = make([]int, len(b)+1)
	}
	for i := range a {
		for j := range b {
			if bytes.Equal(a[i], b[j]) {
				table[i+1][j+1] = table[i][j] + 1
			} else {
				table[i+1][j+1] = max(table[i][j+1], table[i+1][j])
			}
		}
	}
	return table[len(a)][len(b)]
}

func TestTextsWithoutAnythingInCommonAreBounded(t *testing.T) {
	a, b := make([][]byte, 60_000), make([][]byte, 60_000)
	for i := range a {
		a[i], b[i] = fmt.Appendf(nil, "a%d\n", i), fmt.Appendf(nil, "b%d\n", i)
	}
	changes := Changes(a, b)
	if got := patched(a, b, changes); len(got) != len(b) {
		t.Fatal(len(got))
	}
}

func TestLinesKeepWhatTheyAre(t *testing.T) {
	for _, content := range []string{"", "a", "a\n", "a\nb", "\n\n", "a\r\nb\r\n"} {
		if got := string(bytes.Join(Lines([]byte(content)), nil)); got != content {
			t.Errorf("%q became %q", content, got)
		}
	}
}
