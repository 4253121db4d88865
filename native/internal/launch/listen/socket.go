// Package listen makes the Unix socket that a sandbox's first process serves.
package listen

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"cortex.dev/native/internal/launch"
	"golang.org/x/sys/unix"
)

const defaultBacklog = 128

// Open makes the socket and listens. The file answers by device and inode for
// who made it. The caller passes the descriptor on and closes it, and removes
// the path when the start fails.
func Open(spec launch.Listen) (*os.File, launch.SocketFile, error) {
	if err := prepare(spec.Path); err != nil {
		return nil, launch.SocketFile{}, err
	}
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, launch.SocketFile{}, fmt.Errorf("making a socket: %w", err)
	}
	socket := os.NewFile(uintptr(fd), spec.Path)
	file, err := bind(fd, spec)
	if err != nil {
		_ = socket.Close()
		return nil, launch.SocketFile{}, fmt.Errorf("listening on %s: %w", spec.Path, err)
	}
	return socket, file, nil
}

func bind(fd int, spec launch.Listen) (launch.SocketFile, error) {
	// Before bind: the file is born with this mode, there is no moment in which
	// others may connect.
	if err := unix.Fchmod(fd, 0o600); err != nil {
		return launch.SocketFile{}, err
	}
	if err := unix.Bind(fd, &unix.SockaddrUnix{Name: spec.Path}); err != nil {
		return launch.SocketFile{}, err
	}
	backlog := spec.Backlog
	if backlog == 0 {
		backlog = defaultBacklog
	}
	if err := unix.Listen(fd, backlog); err != nil {
		return launch.SocketFile{}, errors.Join(err, unix.Unlink(spec.Path))
	}
	return identify(spec.Path)
}

// identify refuses what is no socket.
func identify(path string) (launch.SocketFile, error) {
	var stat unix.Stat_t
	if err := unix.Lstat(path, &stat); err != nil {
		return launch.SocketFile{}, err
	}
	if stat.Mode&unix.S_IFMT != unix.S_IFSOCK {
		return launch.SocketFile{}, launch.Fail(launch.DriverFailed, nil, "what lies at the place of the socket is none")
	}
	return launch.SocketFile{Path: path, Device: uint64(stat.Dev), Inode: stat.Ino}, nil
}

// prepare makes the folder and takes away the socket of an earlier start; what
// is no socket is not ours to take away.
func prepare(path string) error {
	folder := filepath.Dir(path)
	if err := os.Mkdir(folder, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("making the folder of the socket: %w", err)
	}
	info, err := os.Lstat(folder)
	if err != nil {
		return fmt.Errorf("looking at the folder of the socket: %w", err)
	}
	if !info.IsDir() || info.Mode().Perm()&0o077 != 0 {
		return launch.Fail(launch.InvalidArgument, nil, "the folder %s of the socket can be entered by others (mode %o)", folder, info.Mode().Perm()).
			WithRemedy("chmod 700 " + folder)
	}
	old, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if old.Mode().Type() != fs.ModeSocket {
		return launch.Fail(launch.AlreadyExists, nil, "%s is there and is no socket", path)
	}
	return os.Remove(path)
}
