package sudo

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"cortex.dev/native/internal/users"
	"golang.org/x/sys/unix"
)

const (
	connection = 3
	// askWithin is how long a caller may take to say what it wants.
	askWithin = 5 * time.Second
	// Statuses of sudo itself.
	statusFailed = 1
)

// Session is a root session: it reads one ask from descriptor 3, runs it, and tells the end. The
// result is this process's exit status.
func Session() int {
	// Caught, not ignored: what is ignored would stay so in the command.
	signal.Notify(make(chan os.Signal, 1))
	file := os.NewFile(connection, "connection")
	if file == nil {
		return statusFailed
	}
	stream, err := net.FileConn(file)
	_ = file.Close()
	conn, ok := stream.(*net.UnixConn)
	if err != nil || !ok {
		return statusFailed
	}
	defer conn.Close()
	ended, err := serve(conn)
	if err != nil {
		ended = Ended{Status: statusFailed, Message: err.Error()}
	}
	_ = conn.SetWriteDeadline(time.Now().Add(askWithin))
	_ = send(conn, kindEnded, ended)
	return 0
}

func serve(conn *net.UnixConn) (Ended, error) {
	_ = conn.SetDeadline(time.Now().Add(askWithin))
	if err := send(conn, kindHello, nil); err != nil {
		return Ended{}, err
	}
	f, err := receive(conn)
	if err != nil {
		return Ended{}, err
	}
	defer f.close()
	var ask Ask
	if f.kind != kindAsk {
		return Ended{}, errors.New("the caller asks for nothing")
	}
	if err := f.into(&ask); err != nil {
		return Ended{}, err
	}
	caller, err := callerOn(conn)
	if err != nil {
		return Ended{}, err
	}
	c, err := prepare(ask, caller)
	if err != nil || ask.Check {
		return Ended{}, err
	}
	r := &running{conn: conn, command: c, stays: ask.Background}
	defer r.close()
	if err := r.connect(ask, f.descriptors); err != nil {
		return Ended{}, err
	}
	_ = conn.SetDeadline(time.Time{})
	return r.run()
}

func callerOn(conn *net.UnixConn) (users.User, error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return users.User{}, err
	}
	var who *unix.Ucred
	if failed := raw.Control(func(fd uintptr) {
		who, err = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	}); failed != nil || err != nil {
		return users.User{}, errors.Join(failed, err)
	}
	u, err := users.System.FindID(who.Uid)
	u.UID, u.GID = who.Uid, who.Gid
	return u, err
}

// running is one command under way.
type running struct {
	conn      *net.UnixConn
	command   command
	files     [3]int
	slave     int // 0: no terminal
	directory int // 0: by its name
	owned     []int
	pid       int
	stays     bool        // when the caller leaves
	over      atomic.Bool // the command has ended: what it left behind is nobody's to end
}

func (r *running) close() {
	for _, fd := range r.owned {
		_ = unix.Close(fd)
	}
	r.owned = nil
}

// connect gives the command its streams: the caller's own, and a terminal of its own where the
// caller's are a terminal.
func (r *running) connect(ask Ask, descriptors []int) error {
	if ask.HasDirectory && len(descriptors) > 0 {
		r.directory, descriptors = descriptors[0], descriptors[1:]
	}
	if ask.Terminal {
		if err := r.openTerminal(ask); err != nil {
			return err
		}
	}
	for i, isTerminal := range ask.Streams {
		switch {
		case isTerminal && r.slave != 0:
			r.files[i] = r.slave
		case len(descriptors) > 0:
			r.files[i], descriptors = descriptors[0], descriptors[1:]
		default:
			return errors.New("the caller sent fewer streams than it tells of")
		}
	}
	return nil
}

func (r *running) openTerminal(ask Ask) error {
	master, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("open /dev/ptmx: %w", err)
	}
	// The caller alone keeps it: when it dies, the terminal hangs up.
	defer unix.Close(master)
	if err := unix.IoctlSetPointerInt(master, unix.TIOCSPTLCK, 0); err != nil {
		return fmt.Errorf("unlock the terminal: %w", err)
	}
	slave, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(master), unix.TIOCGPTPEER, unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC)
	if errno != 0 {
		return fmt.Errorf("open the terminal's other end: %w", errno)
	}
	r.slave = int(slave)
	r.owned = append(r.owned, r.slave)
	_ = unix.Fchown(r.slave, int(r.command.user.UID), -1)
	if ask.Settings != nil {
		_ = unix.IoctlSetTermios(r.slave, unix.TCSETS, ask.Settings)
	}
	if ask.Rows > 0 && ask.Cols > 0 {
		_ = unix.IoctlSetWinsize(r.slave, unix.TIOCSWINSZ, &unix.Winsize{Row: ask.Rows, Col: ask.Cols, Xpixel: ask.XPix, Ypixel: ask.YPix})
	}
	if err := unix.IoctlSetInt(r.slave, unix.TIOCSCTTY, 0); err != nil {
		return fmt.Errorf("take the terminal: %w", err)
	}
	return send(r.conn, kindTerminal, nil, master)
}

func (r *running) run() (Ended, error) {
	pid, ended, err := r.start()
	if err != nil || ended != nil {
		r.close()
		if ended != nil {
			return *ended, nil
		}
		return Ended{}, err
	}
	r.pid = pid
	go r.listen()
	for {
		var status unix.WaitStatus
		_, err := unix.Wait4(pid, &status, unix.WUNTRACED, nil)
		if err == nil && !status.Stopped() {
			r.over.Store(true)
		}
		switch {
		case err == unix.EINTR:
		case err != nil:
			return Ended{}, fmt.Errorf("wait for the command: %w", err)
		case status.Stopped():
			_ = send(r.conn, kindStopped, []byte{byte(status.StopSignal())})
		case status.Signaled():
			r.close()
			return Ended{Status: 128 + int(status.Signal()), Signal: int(status.Signal())}, nil
		case status.Exited():
			r.close()
			return Ended{Status: status.ExitStatus()}, nil
		}
	}
}

// listen passes the caller's signals on, and hangs up when the caller has gone before the command.
func (r *running) listen() {
	for {
		f, err := receive(r.conn)
		if r.over.Load() || err != nil && r.stays {
			f.close()
			return
		}
		if err != nil {
			_ = unix.Kill(-r.pid, unix.SIGHUP)
			_ = unix.Kill(-r.pid, unix.SIGCONT)
			return
		}
		f.close()
		if f.kind == kindSignal && len(f.payload) == 1 && f.payload[0] > 0 && f.payload[0] <= 64 {
			_ = unix.Kill(-r.pid, unix.Signal(f.payload[0]))
		}
	}
}

// start tries the files that the command may mean, as execvp does.
func (r *running) start() (pid int, ended *Ended, err error) {
	c := r.command
	if err := r.enter(); err != nil {
		return 0, nil, err
	}
	unix.Umask(int(c.umask))
	attributes := &syscall.ProcAttr{
		Env:   c.environment,
		Files: []uintptr{uintptr(r.files[0]), uintptr(r.files[1]), uintptr(r.files[2])},
		Sys:   &syscall.SysProcAttr{Setpgid: true, Credential: c.credential()},
	}
	if r.slave != 0 {
		attributes.Sys.Foreground, attributes.Sys.Ctty = true, r.slave
	}
	refused := fmt.Sprintf("%s: command not found", c.argv[0])
	for _, path := range c.candidates() {
		pid, err := syscall.ForkExec(path, c.argv, attributes)
		if err == syscall.ENOEXEC {
			pid, err = syscall.ForkExec("/bin/sh", append([]string{"/bin/sh", path}, c.argv[1:]...), attributes)
		}
		switch err {
		case nil:
			return pid, nil, nil
		case syscall.ENOENT, syscall.ENOTDIR:
		default:
			refused = fmt.Sprintf("unable to execute %s: %s", path, err)
		}
	}
	return 0, &Ended{Status: statusFailed, Message: refused}, nil
}

// enter goes to the command's directory, as root: the user itself may not be able to reach the
// caller's.
func (r *running) enter() error {
	if r.command.login && os.Chdir(r.command.user.Home) != nil {
		// As login does for a user whose home is not there.
		return unix.Chdir("/")
	}
	if r.command.directory != "" {
		if err := os.Chdir(r.command.directory); err != nil {
			return fmt.Errorf("unable to change directory to %s: %w", r.command.directory, errors.Unwrap(err))
		}
		return nil
	}
	if r.directory != 0 && !r.command.login {
		if err := unix.Fchdir(r.directory); err != nil {
			return fmt.Errorf("unable to enter the current directory: %w", err)
		}
	}
	return nil
}

// candidates are the command's namesakes in PATH, or the path that it is.
func (c command) candidates() []string {
	name := c.program
	if name == "" {
		name = c.argv[0]
	}
	if strings.Contains(name, "/") {
		return []string{name}
	}
	var found []string
	for _, folder := range filepath.SplitList(c.path) {
		if folder == "" {
			folder = "."
		}
		path := folder + "/" + name
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			found = append(found, path)
		}
	}
	return found
}

func (c command) credential() *syscall.Credential {
	text, err := os.ReadFile("/proc/self/setgroups")
	return &syscall.Credential{
		Uid: c.user.UID, Gid: c.user.GID, Groups: c.user.Groups,
		NoSetGroups: err == nil && strings.TrimSpace(string(text)) == "deny",
	}
}
