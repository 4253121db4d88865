package egress

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
)

const (
	// chunkHeadMost is of a chunk's length with its extensions, which are dropped.
	chunkHeadMost = 1 << 10
	// trailersMost are read and dropped: nobody can rely on them.
	trailersMost = 16 << 10
	// chunkFrame is room for a chunk's length before it, and for the line's end behind it.
	chunkFrame = len("ffffffff\r\n") + len("\r\n")
)

// chunks is the bytes of a body in chunks.
type chunks struct {
	source  *bufio.Reader
	left    uint64 // of the present chunk
	begun   bool   // a chunk was read, whose line end comes before the next
	ended   bool
	failure error
}

func (c *chunks) Read(p []byte) (int, error) {
	if c.failure == nil && !c.ended && c.left == 0 {
		c.failure = c.next()
	}
	if c.failure != nil {
		return 0, c.failure
	}
	if c.ended {
		return 0, io.EOF
	}
	n, err := c.source.Read(p[:min(uint64(len(p)), c.left)])
	c.left -= uint64(n)
	return n, unexpected(err)
}

// next reads the length of the next chunk, or the end.
func (c *chunks) next() error {
	left := chunkHeadMost
	if c.begun {
		line, err := readLine(c.source, &left)
		if err != nil {
			return bodyError(err)
		}
		if line != "" {
			return fmt.Errorf("%w: bytes behind a chunk", errMalformedBody)
		}
	}
	line, err := readLine(c.source, &left)
	if err != nil {
		return bodyError(err)
	}
	digits := 0
	for digits < len(line) && isHex(line[digits]) {
		digits++
	}
	const digitsMost = 15 // fit into 63 bits
	if digits == 0 || digits > digitsMost || digits < len(line) && line[digits] != ';' {
		return fmt.Errorf("%w: a chunk without a length", errMalformedBody)
	}
	c.left, err = strconv.ParseUint(line[:digits], 16, 63)
	if err != nil {
		return fmt.Errorf("%w: a chunk without a length", errMalformedBody)
	}
	c.begun = true
	if c.left == 0 {
		c.ended = true
		return c.trailers()
	}
	return nil
}

func (c *chunks) trailers() error {
	left := trailersMost
	for {
		line, err := readLine(c.source, &left)
		if err != nil {
			return bodyError(err)
		}
		if line == "" {
			return nil
		}
		if _, err := parseField(line); err != nil {
			return bodyError(err)
		}
	}
}

func isHex(c byte) bool { return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' }

// bodyError tells malformed bytes from a connection that broke.
func bodyError(err error) error {
	if malformed, ok := err.(*badRequest); ok {
		return fmt.Errorf("%w: %s", errMalformedBody, malformed.reason)
	}
	return unexpected(err)
}

func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// rechunked is the same body in chunks of our own: how the program wrote it, in what only some readers
// accept, does not reach the remote.
type rechunked struct {
	chunks  chunks
	waiting []byte // encoded bytes that did not fit
	ended   bool
}

func (r *rechunked) Read(p []byte) (int, error) {
	if len(r.waiting) > 0 {
		n := copy(p, r.waiting)
		r.waiting = r.waiting[n:]
		return n, nil
	}
	if r.ended {
		return 0, io.EOF
	}
	if len(p) <= chunkFrame {
		return 0, io.ErrShortBuffer
	}
	const headMost = len("ffffffff\r\n")
	n, err := r.chunks.Read(p[headMost : len(p)-len("\r\n")])
	if err == io.EOF {
		r.ended = true
		r.waiting = []byte("0\r\n\r\n")
		return r.Read(p)
	}
	if err != nil || n == 0 {
		return 0, err
	}
	head := fmt.Sprintf("%08x\r\n", n)
	copy(p, head)
	copy(p[headMost+n:], "\r\n")
	return headMost + n + len("\r\n"), nil
}
