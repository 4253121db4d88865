package workspace

import (
	"bytes"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"io"
	"strconv"
	"strings"

	"cortex.dev/native/internal/workspace/text"
)

// Patch writes all changes as a patch that git apply takes.
func Patch(place Place, only []string, to io.Writer) error {
	base, err := openBase(place)
	if err != nil {
		return err
	}
	defer base.close()
	s, err := changesOf(place, base, only)
	if err != nil {
		return err
	}
	var buffer bytes.Buffer
	for _, c := range s.changes {
		buffer.Reset()
		patch(&buffer, c)
		if _, err := to.Write(buffer.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

func patch(to *bytes.Buffer, c Change) {
	// git has no word for a file that became a link: it goes, and the link comes.
	if c.Kind() == "replaced" {
		patch(to, Change{Path: c.Path, Old: c.Old})
		patch(to, Change{Path: c.Path, New: c.New})
		return
	}
	a, b := quoted("a/"+c.Path), quoted("b/"+c.Path)
	fmt.Fprintf(to, "diff --git %s %s\n", a, b)
	switch {
	case c.Old.absent():
		fmt.Fprintf(to, "new file mode %s\n", mode(c.New))
		a = "/dev/null"
	case c.New.absent():
		fmt.Fprintf(to, "deleted file mode %s\n", mode(c.Old))
		b = "/dev/null"
	case mode(c.Old) != mode(c.New):
		fmt.Fprintf(to, "old mode %s\nnew mode %s\n", mode(c.Old), mode(c.New))
	}
	if bytes.Equal(c.Old.Content, c.New.Content) && !c.Old.absent() && !c.New.absent() {
		return
	}
	binary := text.Binary(c.Old.Content) || text.Binary(c.New.Content)
	index(to, c, binary)
	if binary {
		to.WriteString("GIT binary patch\n")
		text.Literal(to, c.New.Content)
		text.Literal(to, c.Old.Content)
		return
	}
	if len(c.Old.Content) == 0 && len(c.New.Content) == 0 {
		return
	}
	fmt.Fprintf(to, "--- %s\n+++ %s\n", ended(a), ended(b))
	old, now := text.Lines(c.Old.Content), text.Lines(c.New.Content)
	text.Unified(to, old, now, text.Changes(old, now))
}

// index names the contents; git wants it in full for binary ones.
func index(to *bytes.Buffer, c Change, binary bool) {
	old, now := name(c.Old), name(c.New)
	if !binary {
		old, now = old[:7], now[:7]
	}
	fmt.Fprintf(to, "index %s..%s", old, now)
	if mode(c.Old) == mode(c.New) {
		fmt.Fprintf(to, " %s", mode(c.New))
	}
	to.WriteByte('\n')
}

// name is git's of a content (a blob's SHA-1, which names and protects nothing
// here).
func name(s State) string {
	if s.absent() {
		return strings.Repeat("0", 2*sha1.Size)
	}
	hash := sha1.New()
	fmt.Fprintf(hash, "blob %d\x00", len(s.Content))
	hash.Write(s.Content)
	return hex.EncodeToString(hash.Sum(nil))
}

// quoted writes a path as git does it: in quotes where it has anything that could
// be taken for something else.
func quoted(path string) string {
	plain := true
	var all strings.Builder
	all.WriteByte('"')
	for i := range len(path) {
		switch b := path[i]; {
		case b == '"' || b == '\\':
			plain = false
			all.WriteByte('\\')
			all.WriteByte(b)
		case b == '\n':
			plain = false
			all.WriteString(`\n`)
		case b == '\t':
			plain = false
			all.WriteString(`\t`)
		case b < 0x20 || b >= 0x7f:
			plain = false
			all.WriteString(`\` + octal(b))
		default:
			all.WriteByte(b)
		}
	}
	if plain {
		return path
	}
	all.WriteByte('"')
	return all.String()
}

func octal(b byte) string {
	digits := strconv.FormatUint(uint64(b), 8)
	return strings.Repeat("0", 3-len(digits)) + digits
}

// ended: behind a name with a space, patch wants a tab.
func ended(path string) string {
	if strings.Contains(path, " ") && path[0] != '"' {
		return path + "\t"
	}
	return path
}
