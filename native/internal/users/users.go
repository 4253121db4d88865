// Package users reads and extends the sandbox's own /etc/passwd and /etc/group. Both are hostile
// input: lines that are no entries are passed over.
package users

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"cortex.dev/native/internal/fault"
)

// fileMost bounds what is read of either file, in bytes.
const fileMost = 4 << 20

// User is one identity: what a process of that user gets.
type User struct {
	Name   string
	UID    uint32
	GID    uint32
	Groups []uint32 // supplementary
	Home   string
	Shell  string
}

// Database is a pair of passwd and group files.
type Database struct {
	Passwd string
	Group  string
}

// System is the database of the running system.
var System = Database{Passwd: "/etc/passwd", Group: "/etc/group"}

// Find looks a user up by name, or by number where no name is like that. A number without an entry
// is a user without a name. Behind a colon a group may follow, by name or number: it takes the place
// of all the user's own.
func (d Database) Find(who string) (User, error) {
	name, group, grouped := strings.Cut(who, ":")
	u, err := d.find(name)
	if err != nil || !grouped {
		return u, err
	}
	u.Groups = nil
	u.GID, err = d.findGroup(group)
	return u, err
}

func (d Database) find(who string) (User, error) {
	entries, err := readLines(d.Passwd)
	if err != nil {
		return User{}, err
	}
	u, found := pick(entries, func(e User) bool { return e.Name == who })
	if !found {
		uid, err := strconv.ParseUint(who, 10, 32)
		if err != nil || uid == 1<<32-1 {
			return User{}, fault.New(fault.InvalidArgument, "there is no user %q in the sandbox", who)
		}
		u, found = pick(entries, func(e User) bool { return e.UID == uint32(uid) })
		if !found {
			return User{Name: who, UID: uint32(uid), GID: uint32(uid), Home: "/", Shell: "/bin/sh"}, nil
		}
	}
	u.Groups, err = d.Memberships(u.Name)
	return u, err
}

func (d Database) findGroup(who string) (uint32, error) {
	lines, err := readLines(d.Group)
	if err != nil {
		return 0, err
	}
	for _, line := range lines {
		f := strings.Split(string(line), ":")
		if len(f) < 3 || f[0] != who {
			continue
		}
		if gid, err := strconv.ParseUint(f[2], 10, 32); err == nil {
			return uint32(gid), nil
		}
	}
	gid, err := strconv.ParseUint(who, 10, 32)
	if err != nil || gid == 1<<32-1 {
		return 0, fault.New(fault.InvalidArgument, "there is no group %q in the sandbox", who)
	}
	return uint32(gid), nil
}

// Memberships are the groups that name a user as a member.
func (d Database) Memberships(name string) ([]uint32, error) {
	lines, err := readLines(d.Group)
	if err != nil {
		return nil, err
	}
	var groups []uint32
	for _, line := range lines {
		f := strings.Split(string(line), ":")
		if len(f) < 4 || !slices.Contains(strings.Split(f[3], ","), name) {
			continue
		}
		if gid, err := strconv.ParseUint(f[2], 10, 32); err == nil && !slices.Contains(groups, uint32(gid)) {
			groups = append(groups, uint32(gid))
		}
	}
	return groups, nil
}

// FindID looks a user up by number.
func (d Database) FindID(uid uint32) (User, error) {
	return d.Find(strconv.FormatUint(uint64(uid), 10))
}

// FindGroup looks a group up by name, or by number.
func (d Database) FindGroup(who string) (gid uint32, found bool) {
	lines, err := readLines(d.Group)
	if err != nil {
		return 0, false
	}
	for _, line := range lines {
		f := strings.Split(string(line), ":")
		if len(f) < 3 || f[0] != who {
			continue
		}
		if n, err := strconv.ParseUint(f[2], 10, 32); err == nil {
			return uint32(n), true
		}
	}
	n, err := strconv.ParseUint(who, 10, 32)
	return uint32(n), err == nil && n != 1<<32-1
}

func pick(lines [][]byte, wanted func(User) bool) (User, bool) {
	for _, line := range lines {
		if u, ok := parseUser(line); ok && wanted(u) {
			return u, true
		}
	}
	return User{}, false
}

func parseUser(line []byte) (User, bool) {
	f := strings.Split(string(line), ":")
	if len(f) < 7 || f[0] == "" {
		return User{}, false
	}
	uid, err := strconv.ParseUint(f[2], 10, 32)
	if err != nil {
		return User{}, false
	}
	gid, err := strconv.ParseUint(f[3], 10, 32)
	if err != nil {
		return User{}, false
	}
	u := User{Name: f[0], UID: uint32(uid), GID: uint32(gid), Home: f[5], Shell: f[6]}
	if u.Home == "" {
		u.Home = "/"
	}
	if u.Shell == "" {
		u.Shell = "/bin/sh"
	}
	return u, true
}

func readLines(path string) ([][]byte, error) {
	// Without O_NONBLOCK a named pipe in its place would stop the neuron.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fault.Of(err, "open "+path)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fault.Of(err, "read "+path)
	}
	if !info.Mode().IsRegular() || info.Size() > fileMost {
		return nil, fault.New(fault.Internal, "%s is not a file of at most %d bytes", path, fileMost)
	}
	text := make([]byte, info.Size())
	n, err := f.ReadAt(text, 0)
	if n < len(text) && err != nil {
		return nil, fault.Of(err, "read "+path)
	}
	return bytes.Split(text[:n], []byte{'\n'}), nil
}

// Ensure adds the user and its groups where the files have no entry of that name or number.
func (d Database) Ensure(u User) error {
	if err := validName(u.Name); err != nil {
		return err
	}
	if strings.ContainsAny(u.Home+u.Shell, ":\n\x00") {
		return fault.New(fault.InvalidArgument, "the home %q of user %s cannot be written to %s", u.Home, u.Name, d.Passwd)
	}
	passwd, err := readLines(d.Passwd)
	if err != nil {
		return err
	}
	if _, exists := pick(passwd, func(e User) bool { return e.Name == u.Name || e.UID == u.UID }); !exists {
		shell := u.Shell
		if shell == "" {
			shell = "/bin/sh"
		}
		line := fmt.Sprintf("%s:x:%d:%d::%s:%s\n", u.Name, u.UID, u.GID, u.Home, shell)
		if err := appendLine(d.Passwd, passwd, line); err != nil {
			return err
		}
	}
	group, err := readLines(d.Group)
	if err != nil {
		return err
	}
	if hasGroup(group, u) {
		return nil
	}
	return appendLine(d.Group, group, fmt.Sprintf("%s:x:%d:\n", u.Name, u.GID))
}

func hasGroup(lines [][]byte, u User) bool {
	gid := strconv.FormatUint(uint64(u.GID), 10)
	return slices.ContainsFunc(lines, func(line []byte) bool {
		f := strings.Split(string(line), ":")
		return len(f) >= 3 && (f[0] == u.Name || f[2] == gid)
	})
}

// validName refuses what would not be one field of one line.
func validName(name string) error {
	if name == "" || len(name) > 64 || strings.ContainsFunc(name, func(c rune) bool {
		return c != '_' && c != '-' && c != '.' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z')
	}) {
		return fault.New(fault.InvalidArgument, "%q is not a user name", name)
	}
	return nil
}

func appendLine(path string, lines [][]byte, line string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		return fault.Of(err, "open "+path)
	}
	if len(lines) > 0 && len(lines[len(lines)-1]) > 0 {
		line = "\n" + line
	}
	_, err = f.WriteString(line)
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return fault.Of(err, "write "+path)
	}
	return nil
}
