package control

import (
	"context"
	"crypto/subtle"
	"math"
	"path/filepath"
	"strconv"

	"cortex.dev/native/internal/boot"
	"cortex.dev/native/internal/egress"
	"cortex.dev/native/internal/fault"
	"cortex.dev/native/internal/guestpb"
	"cortex.dev/native/internal/session"
	"cortex.dev/native/internal/sudo"
	"cortex.dev/native/internal/users"
	"cortex.dev/native/internal/version"
	"cortex.dev/native/internal/wire"
)

// Defaults and bounds of what Initialize may set.
const (
	ringDefault    = 1 << 20
	ringLeast      = 64 << 10
	ringMost       = 256 << 20
	ringsDefault   = 64 << 20
	ringsLeast     = 1 << 20
	runningDefault = 10_000
	variablesMost  = 10_000
	memoryPerRings = 8 // all rings take at most this part of the memory limit
)

// Initialize sets the sandbox's identity; afterwards user processes may run.
func (g *Guest) Initialize(ctx context.Context, r *guestpb.InitializeRequest) (*guestpb.InitializeResponse, error) {
	var token wire.Token
	if len(r.Token) != len(token) || allZero(r.Token) {
		return nil, fault.New(fault.InvalidArgument, "the token has %d bytes, not %d that are not all zero", len(r.Token), len(token))
	}
	copy(token[:], r.Token)
	g.initializing.Lock()
	defer g.initializing.Unlock()
	if l, err := g.alive(); err == nil {
		if g.isStale(l) {
			if err := g.again(l, token, r); err != nil {
				return nil, err
			}
			streamOf(ctx).trusted.Store(true)
			return &guestpb.InitializeResponse{Version: version.Build}, nil
		}
		if subtle.ConstantTimeCompare(l.token[:], token[:]) != 1 {
			return nil, fault.New(fault.Unauthenticated, "the sandbox was initialized with another token")
		}
		streamOf(ctx).trusted.Store(true)
		return &guestpb.InitializeResponse{Already: true, Version: version.Build}, nil
	}
	config, err := g.configOf(r)
	if err != nil {
		return nil, err
	}
	if err := g.identify(r); err != nil {
		return nil, err
	}
	if err := g.machine.Settle(config.Users, config.DefaultUser, config.WorkingDirectory); err != nil {
		return nil, err
	}
	g.machine.AllowRings(config.RingsBytes)
	memory := g.machine.Memory()
	l := &life{token: token, generation: r.Generation, config: config}
	if config.SwitchUsers && config.DefaultUser.UID != 0 {
		g.spawner.AskAs(config.DefaultUser)
	}
	if err := g.openDoor(l, memory); err != nil {
		return nil, err
	}
	if r.EgressProxy {
		if err := l.openGate(); err != nil {
			return nil, err
		}
		g.forwards.Reserve(egress.Port, "the sandbox's own proxy")
	}
	g.mu.Lock()
	g.life = l
	g.mu.Unlock()
	streamOf(ctx).trusted.Store(true)
	return &guestpb.InitializeResponse{Version: version.Build}, nil
}

func (g *Guest) identify(r *guestpb.InitializeRequest) error {
	return g.machine.Identify(boot.Identity{
		WallClockNanos: r.WallClockNs, Entropy: r.Entropy, Hostname: r.Hostname, MachineID: r.MachineId,
	})
}

// openDoor makes the sessions of a life, and sudo where they can have other users.
func (g *Guest) openDoor(l *life, memory session.MemoryWatch) error {
	if !l.config.SwitchUsers {
		l.sessions = session.NewTable(l.config, g.spawner, g.clock, memory)
		return nil
	}
	program, err := boot.Program()
	if err != nil {
		return err
	}
	if l.config.ProgramsFirst, err = g.machine.OfferSudo(program); err != nil {
		return err
	}
	l.sessions = session.NewTable(l.config, g.spawner, g.clock, memory)
	l.door, err = sudo.Open(sudo.Socket, func(caller sudo.Caller, connection int, ended func()) error {
		return l.sessions.Elevate(program, caller, connection, ended)
	})
	if err != nil {
		return err
	}
	go l.door.Run()
	return nil
}

// openGate starts the proxy, before any program could take its port.
func (l *life) openGate() error {
	listener, err := egress.Listen()
	if err != nil {
		return fault.Of(err, "open the sandbox's proxy")
	}
	l.gate = egress.NewGate()
	go egress.NewProxy(l.gate, l.sessions).Run(listener)
	return nil
}

func allZero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}

func (g *Guest) configOf(r *guestpb.InitializeRequest) (session.Config, error) {
	user, err := g.defaultUser(r.User)
	if err != nil {
		return session.Config{}, err
	}
	if len(r.Environment) > variablesMost {
		return session.Config{}, fault.New(fault.InvalidArgument, "more than %d variables", variablesMost)
	}
	if err := session.ValidEnvironment(r.Environment); err != nil {
		return session.Config{}, err
	}
	c := session.Config{
		Users: g.machine.Users, DefaultUser: user, SwitchUsers: g.machine.SwitchesUsers(),
		WorkingDirectory: string(r.WorkingDirectory), RingBytes: ringDefault, RunningMost: runningDefault,
		NoRoot: r.NoRoot && g.machine.SwitchesUsers(),
	}
	if c.NoRoot && user.UID == 0 {
		return session.Config{}, fault.New(fault.Denied, "the sandbox's own user is root, which is switched off").
			WithRemedy("name another user for it, or make it without --no-root")
	}
	if r.EgressProxy {
		c.Environment = egress.Environment(r.Hostname)
	}
	for _, entry := range r.Environment {
		c.Environment = append(c.Environment, string(entry))
	}
	if c.WorkingDirectory == "" {
		c.WorkingDirectory = user.Home
	}
	if !filepath.IsAbs(c.WorkingDirectory) {
		return session.Config{}, fault.New(fault.InvalidArgument, "the working directory %q is not absolute", c.WorkingDirectory)
	}
	if r.RingBytes > 0 {
		c.RingBytes = int(min(max(r.RingBytes, ringLeast), ringMost))
	}
	c.RingsBytes = g.ringsBytes(r.RingsTotalBytes)
	if r.SessionsMost > 0 {
		c.RunningMost = int(min(r.SessionsMost, runningDefault))
	}
	return c, nil
}

func (g *Guest) ringsBytes(asked uint64) int {
	total := uint64(ringsDefault)
	if _, limit := g.machine.Memory().Read(); limit > 0 {
		total = min(total, limit/memoryPerRings)
	}
	if asked > 0 {
		total = asked
	}
	return int(min(max(total, ringsLeast), math.MaxInt32))
}

// defaultUser is the host's word; where the sandbox knows the user, its own files say shell and
// supplementary groups.
func (g *Guest) defaultUser(u *guestpb.User) (users.User, error) {
	if u == nil {
		return g.machine.Self()
	}
	user := users.User{
		Name: u.Name, UID: u.Uid, GID: u.Gid, Groups: u.Groups, Home: string(u.Home), Shell: "/bin/sh",
	}
	if user.Name == "" {
		user.Name = strconv.FormatUint(uint64(user.UID), 10)
	}
	if user.Home == "" {
		user.Home = "/"
	}
	if !filepath.IsAbs(user.Home) {
		return users.User{}, fault.New(fault.InvalidArgument, "the home %q is not absolute", user.Home)
	}
	known, err := g.machine.Users.Find(user.Name)
	if err == nil && known.UID == user.UID {
		user.Shell = known.Shell
		if len(u.Home) == 0 {
			user.Home = known.Home
		}
	}
	if len(user.Groups) == 0 {
		if user.Groups, err = g.machine.Users.Memberships(user.Name); err != nil {
			return users.User{}, err
		}
	}
	return user, nil
}
