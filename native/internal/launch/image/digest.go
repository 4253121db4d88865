package image

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"regexp"

	"cortex.dev/native/internal/launch"
)

var digestShape = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)

func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}

func checkDigest(what, digest string) error {
	if digestShape.MatchString(digest) {
		return nil
	}
	if len(digest) > 7 && digest[:7] == "sha512:" {
		return launch.Fail(launch.Unsupported, nil, "%s has a digest by sha512", what).
			WithRemedy("copy the image with sha256 digests, as every registry has them")
	}
	return launch.Fail(launch.InvalidArgument, nil, "%s has %q, which is no digest", what, short(digest))
}

// short keeps a stranger's words out of the way of ours.
func short(text string) string {
	if len(text) > 80 {
		return text[:80] + "…"
	}
	return text
}

// measured is a reader with the digest and the count of what went through, which
// ends with an error when there is more than most.
type measured struct {
	from io.Reader
	sum  hash.Hash
	read int64
	most int64
	what string
}

func measure(from io.Reader, most int64, what string) *measured {
	return &measured{from: from, sum: sha256.New(), most: most, what: what}
}

func (m *measured) Read(into []byte) (int, error) {
	n, err := m.from.Read(into)
	m.sum.Write(into[:n])
	m.read += int64(n)
	if m.read > m.most {
		return n, launch.Fail(launch.InvalidArgument, nil, "%s has more than %d bytes", m.what, m.most)
	}
	return n, err
}

func (m *measured) digest() string { return "sha256:" + hex.EncodeToString(m.sum.Sum(nil)) }
