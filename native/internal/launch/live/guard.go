package live

import (
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"strconv"
	"syscall"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"
)

// Verb is the hidden verb by which the launcher runs itself as the guard.
const Verb = "live-guard"

// Descriptors that the guard is started with.
const (
	fuseFD   = 3
	folderFD = 4
	gateFD   = 5
)

// fresh is how long the kernel may answer from what it has seen: what the host
// changes is seen inside after that time.
const fresh = 100 * time.Millisecond

// Settings of one guard, as its arguments.
type Settings struct {
	Rule Rule
	// UID and GID are what the folder's owner is shown as; NobodyUID and NobodyGID all others. All
	// are ids of the namespace in which the mount is made.
	UID, GID, NobodyUID, NobodyGID int
}

func (s Settings) arguments() []string {
	return append([]string{
		strconv.FormatBool(s.Rule.WritableHooks), s.Rule.Within,
		strconv.Itoa(s.UID), strconv.Itoa(s.GID), strconv.Itoa(s.NobodyUID), strconv.Itoa(s.NobodyGID),
	}, s.Rule.Also...)
}

// parse reads what arguments wrote; the sandbox's id, for people, comes first.
func parse(arguments []string) (Settings, error) {
	if len(arguments) < 7 {
		return Settings{}, errors.New("this verb is not for people")
	}
	var s Settings
	var err error
	if s.Rule.WritableHooks, err = strconv.ParseBool(arguments[1]); err != nil {
		return s, err
	}
	s.Rule.Within, s.Rule.Also = arguments[2], arguments[7:]
	for i, id := range []*int{&s.UID, &s.GID, &s.NobodyUID, &s.NobodyGID} {
		if *id, err = strconv.Atoi(arguments[3+i]); err != nil {
			return s, err
		}
	}
	return s, nil
}

// Serve is the guard: it waits until the mount is made, and serves it until it is
// gone, with the last process of the sandbox.
func Serve(arguments []string) error {
	settings, err := parse(arguments)
	if err != nil {
		return err
	}
	var stat unix.Stat_t
	if err := unix.Fstat(folderFD, &stat); err != nil {
		return fmt.Errorf("looking at the folder: %w", err)
	}
	if err := become(int(stat.Uid), int(stat.Gid)); err != nil {
		return err
	}
	if !opened() {
		return nil
	}
	unix.Umask(0)
	root := &node{tree: &tree{folder: folder{folderFD}, rule: settings.Rule, owners: owners{
		hostUID: uint32(unix.Geteuid()), hostGID: uint32(unix.Getegid()),
		shownUID: uint32(settings.UID), shownGID: uint32(settings.GID),
		nobodyUID: uint32(settings.NobodyUID), nobodyGID: uint32(settings.NobodyGID),
	}}}
	server, err := fuse.NewServer(fs.NewNodeFS(root, options()), "/dev/fd/"+strconv.Itoa(fuseFD), &options().MountOptions)
	if err != nil {
		return fmt.Errorf("serving: %w", err)
	}
	server.Serve()
	return nil
}

func options() *fs.Options {
	timeout := fresh
	quiet := log.New(io.Discard, "", 0)
	return &fs.Options{
		EntryTimeout: &timeout,
		AttrTimeout:  &timeout,
		Logger:       quiet,
		MountOptions: fuse.MountOptions{
			Name:               "cortex",
			Logger:             quiet,
			DisableXAttrs:      true,
			DisableReadDirPlus: false,
			MaxWrite:           128 << 10,
		},
	}
}

// opened waits for the launcher's word; false when the launcher ended without it.
func opened() bool {
	gate := os.NewFile(gateFD, "gate")
	defer gate.Close()
	var word [1]byte
	n, _ := gate.Read(word[:])
	return n == 1
}

// become takes on the owner's ids, for every thread. Root, and the root of an
// ordinary user's namespace, stay what they are, with the powers over files that
// an owner has anyway.
func become(uid, gid int) error {
	if uid == 0 || os.Geteuid() != 0 || !mapped(uid) {
		return nil
	}
	if err := errors.Join(syscall.Setgroups(nil), syscall.Setresgid(gid, gid, gid), syscall.Setresuid(uid, uid, uid)); err != nil {
		return fmt.Errorf("becoming the folder's owner %d: %w", uid, err)
	}
	return nil
}

// mapped: in a namespace, whom it does not know is shown as the overflow id.
func mapped(uid int) bool { return uid != 65534 }
