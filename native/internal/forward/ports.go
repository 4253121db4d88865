// Package forward connects to what listens inside the sandbox, for clients outside of it.
package forward

import (
	"context"
	"errors"
	"net"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"cortex.dev/native/internal/fault"
)

const (
	// most connections are open at once; each takes two descriptors and, while bytes wait, two buffers.
	most = 256
	// dialWithin is for a server whose queue of connections is full; a loopback answers at once.
	dialWithin = 10 * time.Second
	scheme     = "tcp:"
)

// loopback is where servers of a sandbox are looked for, in this order.
var loopback = [...]string{"127.0.0.1", "::1"}

// Ports are the ports of the sandbox's loopback.
type Ports struct {
	mu       sync.Mutex
	open     int
	reserved map[int]string
}

// NewPorts makes ports of which none is reserved.
func NewPorts() *Ports { return &Ports{reserved: map[int]string{}} }

// Reserve keeps a port of the neuron's own from being forwarded; what says whose it is.
func (p *Ports) Reserve(port int, what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reserved[port] = what
}

// Conn is one connection into the sandbox. Closing it makes room for another.
type Conn struct {
	*net.TCPConn
	once  sync.Once
	ports *Ports
}

// Close closes the connection.
func (c *Conn) Close() error {
	c.once.Do(c.ports.leave)
	return c.TCPConn.Close()
}

// Reset breaks the connection off, so that its other end does not take what came for the whole.
func (c *Conn) Reset() {
	_ = c.SetLinger(0)
	_ = c.Close()
}

// Dial connects to a port that is named as "tcp:8080".
func (p *Ports) Dial(ctx context.Context, id string) (*Conn, error) {
	port, err := parse(id)
	if err != nil {
		return nil, err
	}
	if err := p.enter(port); err != nil {
		return nil, err
	}
	conn, err := dial(ctx, port)
	if err != nil {
		p.leave()
		return nil, err
	}
	return &Conn{TCPConn: conn, ports: p}, nil
}

func parse(id string) (int, error) {
	digits, tcp := strings.CutPrefix(id, scheme)
	port, err := strconv.ParseUint(digits, 10, 16)
	if !tcp || err != nil || port == 0 || strconv.FormatUint(port, 10) != digits {
		return 0, fault.New(fault.InvalidArgument, "%q is no port: tcp:1 to tcp:65535", id)
	}
	return int(port), nil
}

func (p *Ports) enter(port int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if what, reserved := p.reserved[port]; reserved {
		return fault.New(fault.Denied, "port %d is %s", port, what).WithRemedy("forward another port")
	}
	if p.open >= most {
		return fault.New(fault.Capacity, "%d connections into the sandbox are open already", most).
			WithRemedy("close some of them first")
	}
	p.open++
	return nil
}

func (p *Ports) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open--
}

func dial(ctx context.Context, port int) (*net.TCPConn, error) {
	dialer := net.Dialer{Timeout: dialWithin}
	var first error
	for _, host := range loopback {
		conn, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(host, strconv.Itoa(port)))
		if err == nil {
			return conn.(*net.TCPConn), nil
		}
		if first == nil {
			first = err
		}
		if !errors.Is(err, syscall.ECONNREFUSED) {
			break
		}
	}
	var network net.Error
	switch {
	case errors.Is(first, syscall.ECONNREFUSED):
		return nil, fault.New(fault.NotReady, "nothing listens on port %d in the sandbox", port).
			WithRemedy("start a server there that listens on 127.0.0.1, ::1 or all addresses")
	case errors.As(first, &network) && network.Timeout():
		return nil, fault.New(fault.Deadline, "what listens on port %d does not accept within %s", port, dialWithin)
	}
	return nil, fault.Of(first, "connect to port "+strconv.Itoa(port))
}
