package listen

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"time"

	"cortex.dev/native/internal/launch"
	"golang.org/x/sys/unix"
)

// SharedName is the name of the socket in a shared folder.
const SharedName = "n.sock"

// ResumeName is the file by which a first process that closed its channel is told
// to open it again. Its line says what has become of the sandbox.
const ResumeName = "resume"

// Lines of that file.
const (
	// Resumed: it is the same as before.
	Resumed = "resumed"
	// Restored: it was made of a checkpoint.
	Restored = "restored"
)

const lookAgain = 500 * time.Microsecond

// Shared is a folder in which a first process binds its socket, because its
// runtime cannot hand one on. It belongs to the sandbox's root only until then.
//
// The host never opens a path in it: it makes a hard link of what lies there in
// its own folder, and looks at that. A link of something else than a socket is
// refused; a socket stays the same one whatever is done in the folder later.
type Shared struct{ folder, path string }

// Share makes the folder, for a root with these ids on the host.
func Share(spec launch.Listen, uid, gid int) (Shared, error) {
	shared := Shared{spec.Shared, spec.Path}
	if err := prepare(spec.Path); err != nil {
		return shared, err
	}
	if err := os.RemoveAll(spec.Shared); err != nil {
		return shared, fmt.Errorf("emptying the folder of the channel: %w", err)
	}
	if err := os.Mkdir(spec.Shared, 0o700); err != nil {
		return shared, fmt.Errorf("making the folder of the channel: %w", err)
	}
	return shared, shared.own(uid, gid)
}

// Again hands the folder to the sandbox's root once more, after a checkpoint.
func Again(spec launch.Listen, uid, gid int) (Shared, error) {
	shared := Shared{spec.Shared, spec.Path}
	for _, old := range []string{spec.Path, filepath.Join(spec.Shared, SharedName)} {
		if err := os.Remove(old); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return shared, fmt.Errorf("removing the closed socket: %w", err)
		}
	}
	return shared, shared.own(uid, gid)
}

// Tell writes the file that opens the channel, whole.
func (s Shared) Tell(line string) error {
	path := filepath.Join(s.folder, ResumeName)
	if err := os.WriteFile(path, []byte(line+"\n"), 0o644); err != nil {
		return fmt.Errorf("telling the first process to serve: %w", err)
	}
	return nil
}

// Promise puts a socket in the place of the one that a checkpoint knows of: a
// restore looks for it, and the first process replaces it.
func (s Shared) Promise(uid, gid int) error {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("making a socket: %w", err)
	}
	defer unix.Close(fd)
	path := filepath.Join(s.folder, SharedName)
	if err := unix.Bind(fd, &unix.SockaddrUnix{Name: path}); err != nil {
		return fmt.Errorf("promising a socket: %w", err)
	}
	return os.Lchown(path, uid, gid)
}

// Bound waits for the socket and takes it over: from then on nothing inside can
// make or change anything in the folder.
func (s Shared) Bound(alive func() bool, deadline time.Time) (launch.SocketFile, error) {
	for {
		file, err := s.take()
		if err == nil || !(errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ECONNREFUSED)) {
			return file, errors.Join(err, s.own(os.Geteuid(), os.Getegid()))
		}
		if !alive() {
			return file, launch.Fail(launch.DriverFailed, nil, "the first process ended before it served").
				WithRemedy("its last words are in the console file")
		}
		if time.Now().After(deadline) {
			return file, launch.Fail(launch.Deadline, nil, "the first process does not serve").
				WithRemedy("look at the load of the machine, then try again")
		}
		time.Sleep(lookAgain)
	}
}

// take links the socket without following anything. One that is bound and does
// not listen yet refuses a connection, as does one of an earlier process.
func (s Shared) take() (launch.SocketFile, error) {
	if err := os.Link(filepath.Join(s.folder, SharedName), s.path); err != nil {
		return launch.SocketFile{}, err
	}
	file, err := identify(s.path)
	if err == nil {
		err = listens(s.path)
	}
	if err != nil {
		return file, errors.Join(err, os.Remove(s.path))
	}
	return file, nil
}

func listens(path string) error {
	connection, err := net.Dial("unix", path)
	if err != nil {
		return err
	}
	return connection.Close()
}

func (s Shared) own(uid, gid int) error {
	if err := os.Lchown(s.folder, uid, gid); err != nil {
		return fmt.Errorf("handing over the folder of the channel: %w", err)
	}
	return nil
}

// Remove removes what there is of it.
func (s Shared) Remove() error {
	err := os.Remove(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, os.RemoveAll(s.folder))
}
