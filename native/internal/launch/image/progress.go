package image

import (
	"encoding/json"
	"io"
	"time"

	"cortex.dev/native/internal/launch"
)

// tellEvery is as often as a person can read.
const tellEvery = 200 * time.Millisecond

// progress tells how far an import is.
type progress struct {
	to    io.Writer
	told  time.Time
	state launch.Progress
}

func newProgress(to io.Writer) *progress { return &progress{to: to} }

func (p *progress) begin(doing string, total int64) {
	p.state = launch.Progress{Doing: doing, Total: total}
	p.told = time.Time{}
	p.add(0)
}

func (p *progress) add(bytes int64) {
	p.state.Done += bytes
	if time.Since(p.told) < tellEvery {
		return
	}
	p.told = time.Now()
	// Who does not listen any more does not mind.
	_ = json.NewEncoder(p.to).Encode(p.state)
}

// reading is from with what is read of it counted.
func (p *progress) reading(from io.Reader) io.Reader { return &counted{from, p} }

type counted struct {
	from io.Reader
	told *progress
}

func (c *counted) Read(into []byte) (int, error) {
	n, err := c.from.Read(into)
	c.told.add(int64(n))
	return n, err
}
