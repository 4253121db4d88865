package text

import "testing"

func TestChangesAtDifferentPlacesComeTogether(t *testing.T) {
	for name, c := range map[string]struct{ base, ours, theirs, want string }{
		"different lines":     {"a\nb\nc\nd\ne\n", "A\nb\nc\nd\ne\n", "a\nb\nc\nd\nE\n", "A\nb\nc\nd\nE\n"},
		"the same change":     {"a\nb\nc\n", "a\nX\nc\n", "a\nX\nc\n", "a\nX\nc\n"},
		"insert and delete":   {"a\nb\nc\nd\n", "a\nb\nc\n", "0\na\nb\nc\nd\n", "0\na\nb\nc\n"},
		"only ours":           {"a\n", "b\n", "a\n", "b\n"},
		"only theirs":         {"a\n", "a\n", "b\n", "b\n"},
		"no newline at end":   {"a\nb\nc", "a\nb\nc", "x\nb\nc", "x\nb\nc"},
		"both append alike":   {"a\n", "a\nb\n", "a\nb\n", "a\nb\n"},
		"several, interwoven": {"1\n2\n3\n4\n5\n6\n7\n", "one\n2\n3\n4\nfive\n6\n7\n", "1\n2\nthree\n4\n5\n6\nseven\n", "one\n2\nthree\n4\nfive\n6\nseven\n"},
	} {
		got, conflicts := Merge([]byte(c.base), []byte(c.ours), []byte(c.theirs))
		if string(got) != c.want || conflicts != nil {
			t.Errorf("%s: %q %v", name, got, conflicts)
		}
	}
}

func TestChangesOfTheSameLinesAreAConflictThatSaysWhere(t *testing.T) {
	for name, c := range map[string]struct{ base, ours, theirs, want string }{
		"the same line":      {"a\nb\nc\n", "a\nX\nc\n", "a\nY\nc\n", "line 2"},
		"touching":           {"a\nb\nc\n", "X\nb\nc\n", "a\nY\nc\n", "lines 1 to 2"},
		"both append":        {"a\n", "a\nb\n", "a\nc\n", "line 2"},
		"deleted, changed":   {"a\nb\nc\nd\n", "a\nd\n", "a\nb\nX\nd\n", "line 2"},
		"from nothing":       {"", "a\n", "b\n", "line 1"},
		"one over several":   {"1\n2\n3\n4\n5\n", "x\n", "1\nb\n3\nd\n5\n", "line 1"},
		"line end is a sort": {"a", "a\n", "b", "line 1"},
	} {
		got, conflicts := Merge([]byte(c.base), []byte(c.ours), []byte(c.theirs))
		if got != nil || len(conflicts) == 0 || conflicts[0].String() != c.want {
			t.Errorf("%s: %q %v", name, got, conflicts)
		}
	}
}
