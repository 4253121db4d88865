package egress

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strconv"
	"time"
)

// Origin is whose connection it is, as far as that can be found out; for the log, and for no decision.
type Origin struct {
	Session string
	Program []byte // as the kernel has it
}

// Owners find processes by what they hold.
type Owners interface {
	// OwnerOf finds the session and the program that hold a socket, or gives up by the deadline.
	OwnerOf(inode uint64, deadline time.Time) (session string, program []byte)
}

const (
	// lookWithin bounds what a request waits for its origin; /proc of a busy sandbox is long.
	lookWithin = 20 * time.Millisecond
	// linesMost of a socket table are read.
	linesMost = 4_096
)

// origins looks for one connection at a time: a flood of requests is not to become a flood of walks
// through /proc.
type origins struct {
	owners Owners
	turn   chan struct{}
}

func newOrigins(owners Owners) *origins {
	return &origins{owners: owners, turn: make(chan struct{}, 1)}
}

// of returns an empty origin where it cannot be found in time.
func (o *origins) of(conn net.Conn) Origin {
	deadline := time.Now().Add(lookWithin)
	select {
	case o.turn <- struct{}{}:
		defer func() { <-o.turn }()
	case <-time.After(lookWithin):
		return Origin{}
	}
	remote, err := netip.ParseAddrPort(conn.RemoteAddr().String())
	if err != nil {
		return Origin{}
	}
	local, err := netip.ParseAddrPort(conn.LocalAddr().String())
	if err != nil {
		return Origin{}
	}
	inode, found := inodeOf(remote, local)
	if !found {
		return Origin{}
	}
	session, program := o.owners.OwnerOf(inode, deadline)
	return Origin{Session: session, Program: program}
}

// inodeOf finds the socket whose own address is from and whose peer is to. A program may have made it
// as an IPv6 socket.
func inodeOf(from, to netip.AddrPort) (uint64, bool) {
	from, to = unmapped(from), unmapped(to)
	if inode, found := inodeIn("/proc/net/tcp", address4(from), address4(to)); found {
		return inode, true
	}
	return inodeIn("/proc/net/tcp6", address6(from), address6(to))
}

func unmapped(a netip.AddrPort) netip.AddrPort { return netip.AddrPortFrom(a.Addr().Unmap(), a.Port()) }

// address4 is an address as /proc/net/tcp has it: the word in the machine's order, then the port.
func address4(a netip.AddrPort) string {
	b := a.Addr().As4()
	return fmt.Sprintf("%08X:%04X", binary.NativeEndian.Uint32(b[:]), a.Port())
}

func address6(a netip.AddrPort) string {
	b := a.Addr().As16()
	var text []byte
	for i := 0; i < len(b); i += 4 {
		text = fmt.Appendf(text, "%08X", binary.NativeEndian.Uint32(b[i:]))
	}
	return fmt.Sprintf("%s:%04X", text, a.Port())
}

func inodeIn(table, from, to string) (uint64, bool) {
	file, err := os.Open(table)
	if err != nil {
		return 0, false
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for n := 0; n < linesMost && lines.Scan(); n++ {
		if inode, found := inodeOfLine(lines.Bytes(), from, to); found {
			return inode, true
		}
	}
	return 0, false
}

// inodeOfLine reads "sl local remote st queues timer retransmits uid timeout inode …".
func inodeOfLine(line []byte, from, to string) (uint64, bool) {
	const local, remote, inode = 1, 2, 9
	f := bytes.Fields(line)
	if len(f) <= inode || string(f[local]) != from || string(f[remote]) != to {
		return 0, false
	}
	n, err := strconv.ParseUint(string(f[inode]), 10, 64)
	return n, err == nil && n != 0
}
