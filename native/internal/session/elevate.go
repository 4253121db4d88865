package session

import (
	"fmt"
	"time"

	"cortex.dev/native/internal/fault"
	"cortex.dev/native/internal/reap"
	"cortex.dev/native/internal/sudo"
	"cortex.dev/native/internal/users"
	"golang.org/x/sys/unix"
)

// endingTakes is how long an elevation waits for a session whose end is being written down; while
// all of its processes are being killed that lasts longer, and none must join them.
const endingTakes = 100 * time.Millisecond

const rootSessions = "root is switched off in this sandbox (it was made with --no-root)"

// errNoRoot refuses what only root could do where the host wants no root.
func errNoRoot() error {
	return fault.New(fault.Denied, "%s", rootSessions).WithRemedy("make the sandbox without --no-root")
}

// Elevate starts program as root for a process of one of the sessions, with the connection as its
// descriptor 3. It belongs to that session: what ends the session's processes ends it too.
func (t *Table) Elevate(program string, caller sudo.Caller, connection int, ended func()) error {
	if t.config.NoRoot {
		return errNoRoot()
	}
	if !t.config.SwitchUsers {
		return fault.New(fault.Unsupported, "this sandbox has one user, %s", t.config.DefaultUser.Name)
	}
	if err := t.config.mayElevate(caller.UID); err != nil {
		return err
	}
	number, known := t.spawner.marker.SessionOf(caller.PID)
	if !known {
		return fault.New(fault.Denied, "the caller belongs to no session")
	}
	release, err := t.hold(number)
	if err != nil {
		return err
	}
	defer release()
	// Under the hold: a process that lives now is seen by the next kill of its session, and so is its child.
	if !caller.Alive() {
		return fault.New(fault.NotFound, "the caller has gone")
	}
	return t.elevate(program, number, connection, ended)
}

// mayElevate: services that gave up their rights do not get them back.
func (c Config) mayElevate(uid uint32) error {
	if uid == 0 || uid == c.DefaultUser.UID {
		return nil
	}
	return fault.New(fault.Denied, "user %d may not use sudo here, only %s and root may", uid, c.DefaultUser.Name).
		WithRemedy("cortex exec --user root NAME -- COMMAND")
}

// hold keeps the session of that number, where it is still known, from being ended.
func (t *Table) hold(number uint32) (release func(), err error) {
	t.mu.Lock()
	closed := t.closed
	var s *Session
	for _, each := range t.order {
		if each.number == number {
			s = each
		}
	}
	t.mu.Unlock()
	if closed {
		return nil, fault.New(fault.NotReady, "the sandbox is shutting down")
	}
	if s == nil {
		return func() {}, nil
	}
	for end := time.Now().Add(endingTakes); !s.ending.TryLock(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			return nil, fault.New(fault.Busy, "the session is being ended")
		}
	}
	return s.ending.Unlock, nil
}

func (t *Table) elevate(program string, number uint32, connection int, ended func()) error {
	c, _, err := t.config.prepare(Request{Argv: [][]byte{[]byte("neuron"), []byte(sudo.SessionVerb)}, User: rootName, WorkingDirectory: "/"})
	if err != nil {
		return err
	}
	null, err := unix.Open("/dev/null", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("open /dev/null: %w", err)
	}
	defer unix.Close(null)
	files := []uintptr{uintptr(null), uintptr(null), uintptr(null), uintptr(connection)}
	if _, err := t.spawner.start(number, program, c, files, false, true, func(reap.Ended) { ended() }); err != nil {
		return c.explain(fmt.Errorf("start %s: %w", program, err))
	}
	return nil
}

const rootName = "root"

// root is the user 0, also where the sandbox's own files do not know it.
func (c Config) root() users.User {
	if u, err := c.Users.FindID(0); err == nil && u.Name != "0" {
		return u
	}
	return users.User{Name: rootName, Home: "/root", Shell: "/bin/sh"}
}
