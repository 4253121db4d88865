// Package sudo lets programs in a sandbox become its root without a setuid bit, which no program
// there can use (no-new-privileges).
//
// Three processes take part. The neuron holds the door, a Unix socket: it reads nothing from it, but
// looks at who called, and hands the connection to a root session that it starts. That session,
// which is this program too (neuron root-session), reads what is asked for and runs it. The client,
// this program under the name sudo, passes its streams or relays its terminal. What a hostile client
// sends is thus read by a process that has no more rights than the client could have by asking.
package sudo

import (
	"errors"
	"net"
	"os"
	"sync/atomic"
	"time"

	"cortex.dev/native/internal/fault"
	"golang.org/x/sys/unix"
)

const (
	// Socket is where the door is.
	Socket = "/run/cortex/sudo"
	// SessionVerb is the neuron's argument for a root session, whose connection is descriptor 3.
	SessionVerb = "root-session"
	// sessionsMost run at once; each is a process of some 3 MB.
	sessionsMost  = 100
	acceptPause   = 20 * time.Millisecond
	refusalWithin = 100 * time.Millisecond
)

// Caller is the process that called, as the kernel tells it.
type Caller struct {
	PID      int
	UID, GID uint32
	// Alive says whether the process still lives; its number means another one when it does not.
	Alive func() bool
}

// Elevate starts a root session for a caller with the connection as its descriptor 3, and has ended
// called when that session is over.
type Elevate func(c Caller, connection int, ended func()) error

// Door is the socket. One caller is served at a time: a flood of them takes the neuron no more
// than one.
type Door struct {
	socket  *net.UnixListener
	elevate Elevate
	running atomic.Int64
}

// Open makes the socket, which every user may connect to.
func Open(path string, elevate Elevate) (*Door, error) {
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
		return nil, fault.Of(err, "clear the place of the socket "+path)
	}
	socket, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, fault.Of(err, "listen on "+path)
	}
	if err := os.Chmod(path, 0o666); err != nil {
		_ = socket.Close()
		return nil, fault.Of(err, "open "+path+" to all")
	}
	return &Door{socket: socket, elevate: elevate}, nil
}

// Run serves callers until the door is closed.
func (d *Door) Run() {
	for {
		conn, err := d.socket.AcceptUnix()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			time.Sleep(acceptPause)
			continue
		}
		if err := d.answer(conn); err != nil {
			refuse(conn, err)
		}
		_ = conn.Close()
	}
}

// Close ends Run.
func (d *Door) Close() error { return d.socket.Close() }

func (d *Door) answer(conn *net.UnixConn) error {
	if d.running.Load() >= sessionsMost {
		return fault.New(fault.Capacity, "%d commands run by sudo already", sessionsMost).WithRemedy("end one of them first")
	}
	raw, err := conn.SyscallConn()
	if err != nil {
		return fault.Of(err, "use the connection")
	}
	failed := raw.Control(func(fd uintptr) {
		var caller Caller
		var done func()
		if caller, done, err = callerOf(int(fd)); err != nil {
			return
		}
		defer done()
		d.running.Add(1)
		if err = d.elevate(caller, int(fd), func() { d.running.Add(-1) }); err != nil {
			d.running.Add(-1)
		}
	})
	if failed != nil {
		return fault.Of(failed, "use the connection")
	}
	return err
}

// soPeerPidfd is SO_PEERPIDFD of Linux 6.5.
const soPeerPidfd = 77

func callerOf(fd int) (Caller, func(), error) {
	who, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return Caller{}, nil, fault.Of(err, "ask who calls")
	}
	if who.Pid <= 0 {
		return Caller{}, nil, fault.New(fault.Denied, "the caller is no process of this sandbox")
	}
	pidfd, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, soPeerPidfd)
	if err != nil {
		if pidfd, err = unix.PidfdOpen(int(who.Pid), 0); err != nil {
			return Caller{}, nil, fault.Of(err, "hold the caller")
		}
	}
	unix.CloseOnExec(pidfd)
	alive := func() bool {
		polled := []unix.PollFd{{Fd: int32(pidfd), Events: unix.POLLIN}}
		n, err := unix.Poll(polled, 0)
		return err == nil && n == 0
	}
	return Caller{PID: int(who.Pid), UID: who.Uid, GID: who.Gid, Alive: alive}, func() { _ = unix.Close(pidfd) }, nil
}

// refuse says why; a caller that does not read it gets nothing.
func refuse(conn *net.UnixConn, why error) {
	f := fault.Of(why, "start a session as root")
	_ = conn.SetWriteDeadline(time.Now().Add(refusalWithin))
	_ = send(conn, kindRefusal, Refusal{Code: string(f.Code), Message: f.Message, Remedy: f.Remedy})
}
