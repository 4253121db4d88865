package mark

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// descriptorsMost of one process are looked at.
const descriptorsMost = 1_024

// Holder finds a process of a session that holds the socket, by the deadline. program is what the
// kernel calls it.
func (m *Marker) Holder(inode uint64, deadline time.Time) (session uint32, program []byte, found bool) {
	link := fmt.Sprintf("socket:[%d]", inode)
	look := func(s *scanner) error {
		return s.each(func(pid int, mark uint64) {
			if found || mark>>sessionBits != m.sandbox || mark&NumberMost == 0 || time.Now().After(deadline) {
				return
			}
			if s.holds(pid, link) {
				session, found = uint32(mark&NumberMost), true
				program = bytes.TrimSpace(bytes.Clone(s.read(pid, "/comm")))
			}
		})
	}
	_ = m.scan(func(s *scanner) error {
		err := m.asOwner(func() error { return look(s) })
		if err != nil || found || m.user.Load() == nil {
			return err
		}
		return look(s)
	})
	return session, program, found
}

// asOwner looks with the owner's rights to files: a process's descriptors may be read by its own user
// alone. The thread is the scan's own.
func (m *Marker) asOwner(look func() error) error {
	user := m.user.Load()
	if user == nil {
		return look()
	}
	group, _, _ := unix.RawSyscall(unix.SYS_SETFSGID, uintptr(user.gid), 0, 0)
	before, _, _ := unix.RawSyscall(unix.SYS_SETFSUID, uintptr(user.uid), 0, 0)
	defer func() {
		_, _, _ = unix.RawSyscall(unix.SYS_SETFSUID, before, 0, 0)
		_, _, _ = unix.RawSyscall(unix.SYS_SETFSGID, group, 0, 0)
	}()
	return look()
}

// holds says whether one of the process's descriptors is the link's target.
func (s *scanner) holds(pid int, target string) bool {
	folder, err := unix.Openat(s.proc, strconv.Itoa(pid)+"/fd", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer unix.Close(folder)
	var dirents [4 << 10]byte
	var text [64]byte
	for seen := 0; seen < descriptorsMost; {
		n, err := unix.Getdents(folder, dirents[:])
		if err != nil || n == 0 {
			return false
		}
		for entries := dirents[:n]; len(entries) > 0; seen++ {
			size := int(binary.NativeEndian.Uint16(entries[16:]))
			if fd, ok := number(entries[19:size]); ok {
				k, err := unix.Readlinkat(folder, strconv.Itoa(fd), text[:])
				if err == nil && string(text[:k]) == target {
					return true
				}
			}
			entries = entries[size:]
		}
	}
	return false
}
