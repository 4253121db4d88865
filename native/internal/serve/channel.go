package serve

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"cortex.dev/native/internal/control"
	"cortex.dev/native/internal/data"
	"cortex.dev/native/internal/fault"
)

const (
	// answerTakes is how long the answer to the call that closes the channel may be on its way.
	answerTakes = 50 * time.Millisecond
	// lookAgain is how often the file is looked for that opens the channel again: what appears from
	// outside wakes nobody inside.
	lookAgain  = 20 * time.Millisecond
	resumeMost = 64
)

// Channel is the socket that the host dials, with the streams that came of it. One that the neuron
// binds itself can be closed, so that a checkpoint can be taken, and opened again.
type Channel struct {
	path string // empty: inherited

	mu      sync.Mutex
	socket  net.Listener
	streams map[*stream]struct{}
	// opened is closed and made anew at each change between open and closed.
	opened chan struct{}
}

// NewChannel makes one that is not open yet: at a path, or with a socket that was inherited.
func NewChannel(path string, inherited net.Listener) *Channel {
	return &Channel{path: path, socket: inherited, streams: map[*stream]struct{}{}, opened: make(chan struct{})}
}

// Open binds the socket, where it was not inherited.
func (c *Channel) Open() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.socket != nil {
		return nil
	}
	// What lies there is an own one that was closed, or what stands for it after a restore.
	if err := os.Remove(c.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the closed socket: %w", err)
	}
	socket, err := net.Listen("unix", c.path)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	c.socket = socket
	close(c.opened)
	c.opened = make(chan struct{})
	return nil
}

// accept takes the next stream, waiting while the channel is closed.
func (c *Channel) accept(ctx context.Context) (net.Conn, error) {
	for {
		c.mu.Lock()
		socket, opened := c.socket, c.opened
		c.mu.Unlock()
		if socket == nil {
			select {
			case <-opened:
				continue
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		conn, err := socket.Accept()
		if !errors.Is(err, net.ErrClosed) {
			return conn, err
		}
		if c.path == "" {
			return nil, err
		}
	}
}

// track keeps a stream so that it can be closed with the channel.
func (c *Channel) track(conn data.Conn, closed func()) *stream {
	s := &stream{Conn: conn}
	s.closed = func() {
		c.mu.Lock()
		delete(c.streams, s)
		c.mu.Unlock()
		closed()
	}
	c.mu.Lock()
	c.streams[s] = struct{}{}
	c.mu.Unlock()
	return s
}

// Suspend closes the channel soon after it has returned. Once a file of that name is there beside the
// socket's place, it tells woken what the file says and opens the channel again.
func (c *Channel) Suspend(file string, woken func(control.Waking)) error {
	if c.path == "" {
		return fault.New(fault.Unsupported, "the channel was inherited: the neuron cannot open it again")
	}
	if file == "" || file != filepath.Base(file) || strings.HasPrefix(file, ".") {
		return fault.New(fault.InvalidArgument, "%q is no name of a file", file)
	}
	path := filepath.Join(filepath.Dir(c.path), file)
	if _, err := os.Lstat(path); err == nil {
		return fault.New(fault.InvalidArgument, "the file %q is there already", file)
	}
	go func() {
		time.Sleep(answerTakes)
		c.close()
		woken(waitFor(path))
		for c.Open() != nil {
			time.Sleep(lookAgain)
		}
	}()
	return nil
}

func (c *Channel) close() {
	c.mu.Lock()
	socket := c.socket
	c.socket = nil
	streams := make([]*stream, 0, len(c.streams))
	for s := range c.streams {
		streams = append(streams, s)
	}
	c.mu.Unlock()
	if socket != nil {
		_ = socket.Close()
	}
	for _, s := range streams {
		_ = s.Close()
	}
}

// waitFor reads the file once it is there and has all of its line.
func waitFor(path string) control.Waking {
	for {
		text, err := os.ReadFile(path)
		if line, whole := strings.CutSuffix(string(text), "\n"); err == nil && whole && len(line) <= resumeMost {
			_ = os.Remove(path)
			return control.Waking(line)
		}
		time.Sleep(lookAgain)
	}
}

// stream tells once when it is closed.
type stream struct {
	data.Conn
	once   sync.Once
	closed func()
}

func (s *stream) Close() error {
	s.once.Do(s.closed)
	return s.Conn.Close()
}
