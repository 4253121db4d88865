package mark

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// scanner reads the pids in /proc in ascending order, so that a child which is born during a scan
// is mostly still ahead of it.
type scanner struct {
	proc    int
	limit   limit
	dirents [32 << 10]byte
	text    [4 << 10]byte
	self    int
}

func newScanner(carrier limit) (*scanner, error) {
	proc, err := unix.Open("/proc", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("open /proc: %w", err)
	}
	return &scanner{proc: proc, limit: carrier, self: os.Getpid()}, nil
}

func (s *scanner) close() { _ = unix.Close(s.proc) }

// each calls visit with every process but this one and its mark.
func (s *scanner) each(visit func(pid int, mark uint64)) error {
	if _, err := unix.Seek(s.proc, 0, unix.SEEK_SET); err != nil {
		return fmt.Errorf("rewind /proc: %w", err)
	}
	for {
		n, err := unix.Getdents(s.proc, s.dirents[:])
		if err != nil {
			return fmt.Errorf("read /proc: %w", err)
		}
		if n == 0 {
			return nil
		}
		for entries := s.dirents[:n]; len(entries) > 0; {
			size := int(binary.NativeEndian.Uint16(entries[16:]))
			if pid, ok := number(entries[19:size]); ok && pid != s.self {
				if mark, ok := s.markOf(pid); ok {
					visit(pid, mark)
				}
			}
			entries = entries[size:]
		}
	}
}

// number reads the name of an entry, ended by a zero byte, as a pid.
func number(name []byte) (int, bool) {
	pid := 0
	for i, c := range name {
		if c == 0 {
			return pid, i > 0
		}
		if c < '0' || c > '9' {
			return 0, false
		}
		pid = pid*10 + int(c-'0')
	}
	return 0, false
}

// SessionOf is the number of the session that a process of this sandbox belongs to.
func (m *Marker) SessionOf(pid int) (number uint32, known bool) {
	s, err := newScanner(m.limit)
	if err != nil {
		return 0, false
	}
	defer s.close()
	mark, ok := s.markOf(pid)
	number = uint32(mark & NumberMost)
	return number, ok && mark>>sessionBits == m.sandbox && number != 0
}

// markOf asks the kernel; a process of yet another user answers only through its file, which all
// may read, ten times slower.
func (s *scanner) markOf(pid int) (uint64, bool) {
	var found unix.Rlimit
	switch err := unix.Prlimit(pid, s.limit.resource, nil, &found); err {
	case nil:
		return found.Cur, true
	case unix.EPERM:
		return s.markInFile(pid)
	default:
		return 0, false
	}
}

func (s *scanner) markInFile(pid int) (uint64, bool) { return s.limit.parse(s.read(pid, "/limits")) }

// parse reads the soft value of the limit's line.
func (l limit) parse(text []byte) (uint64, bool) {
	_, rest, found := bytes.Cut(text, []byte(l.line))
	if !found {
		return 0, false
	}
	fields := bytes.Fields(rest[:min(len(rest), 80)])
	if len(fields) == 0 {
		return 0, false
	}
	mark, err := strconv.ParseUint(string(fields[0]), 10, 64)
	return mark, err == nil
}
