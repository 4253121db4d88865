package session

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"cortex.dev/native/internal/fault"
	"cortex.dev/native/internal/users"
	"golang.org/x/sys/unix"
)

const (
	// argumentMost is what Linux takes for one string of argv or environment: 32 pages
	// (MAX_ARG_STRLEN) less the zero byte behind it.
	argumentMost = 131_071
	// argumentsMost bounds the strings of one command; the kernel refuses more than a quarter of
	// the stack limit anyway, but only after they were copied.
	argumentsMost = 65_536
	idMost        = 128
	labelMost     = 1_024
	pathDefault   = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
	termDefault   = "xterm-256color"
)

// Request is one command to be started.
type Request struct {
	ID               string
	Argv             [][]byte // empty: the user's login shell
	Environment      [][]byte
	WorkingDirectory string
	User             string
	Terminal         *Terminal
	Stdin            bool
	Claim            bool
	TimeoutMillis    uint64
	Background       bool
	Label            string
}

// command is a request that was found to be in order.
type command struct {
	argv        []string
	path        string // of the program; empty: argv[0] says
	environment []string
	directory   string
	user        users.User
}

// ValidID refuses what is not a name of at most 128 letters, digits, '_', '-' and '.'.
func ValidID(id string) error {
	if id == "" || len(id) > idMost {
		return fault.New(fault.InvalidArgument, "an id has 1 to %d characters, not %d", idMost, len(id))
	}
	for i := range len(id) {
		c := id[i]
		if c != '_' && c != '-' && c != '.' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return fault.New(fault.InvalidArgument, "the id %q holds a character other than letters, digits, '_', '-' and '.'", id)
		}
	}
	return nil
}

func (r Request) validate() error {
	if err := ValidID(r.ID); err != nil {
		return err
	}
	if len(r.Label) > labelMost {
		return fault.New(fault.InvalidArgument, "the label has %d bytes, more than %d", len(r.Label), labelMost)
	}
	if len(r.Argv) > argumentsMost || len(r.Environment) > argumentsMost {
		return fault.New(fault.InvalidArgument, "the command has more than %d arguments or variables", argumentsMost)
	}
	if strings.IndexByte(r.WorkingDirectory, 0) >= 0 {
		return fault.New(fault.InvalidArgument, "the working directory holds a NUL byte")
	}
	for i, argument := range r.Argv {
		if err := validString(argument, "argument", i); err != nil {
			return err
		}
	}
	return ValidEnvironment(r.Environment)
}

func validString(s []byte, what string, at int) error {
	if len(s) > argumentMost {
		return fault.New(fault.InvalidArgument, "%s %d has %d bytes, more than the %d that Linux takes", what, at, len(s), argumentMost).
			WithRemedy("pass the bytes on standard input or in a file")
	}
	if bytes.IndexByte(s, 0) >= 0 {
		return fault.New(fault.InvalidArgument, "%s %d holds a NUL byte", what, at)
	}
	return nil
}

// ValidEnvironment refuses what is not a list of NAME=value.
func ValidEnvironment(entries [][]byte) error {
	for i, entry := range entries {
		if err := validString(entry, "variable", i); err != nil {
			return err
		}
		if bytes.IndexByte(entry, '=') < 1 {
			return fault.New(fault.InvalidArgument, "variable %d is not of the form NAME=value", i)
		}
	}
	return nil
}

// environment lays variables over each other, the later ones over the earlier.
type environment struct {
	entries []string
	places  map[string]int
}

func (e *environment) set(entry string) {
	name, _, _ := strings.Cut(entry, "=")
	if e.places == nil {
		e.places = map[string]int{}
	}
	if at, exists := e.places[name]; exists {
		e.entries[at] = entry
		return
	}
	e.places[name] = len(e.entries)
	e.entries = append(e.entries, entry)
}

func (e *environment) get(name string) string {
	if at, exists := e.places[name]; exists {
		return e.entries[at][len(name)+1:]
	}
	return ""
}

// prepare resolves user, environment and directory. The base environment belongs to the default
// user: another user's HOME, USER, LOGNAME and SHELL lie over it.
func (c Config) prepare(r Request) (command, environment, error) {
	user, isDefault, err := c.userOf(r.User)
	if err != nil {
		return command{}, environment{}, err
	}
	var env environment
	env.set("PATH=" + pathDefault)
	identity := func() {
		env.set("HOME=" + user.Home)
		env.set("USER=" + user.Name)
		env.set("LOGNAME=" + user.Name)
		env.set("SHELL=" + user.Shell)
	}
	if isDefault {
		identity()
	}
	for _, entry := range c.Environment {
		env.set(entry)
	}
	if c.ProgramsFirst != "" {
		env.set("PATH=" + c.ProgramsFirst + ":" + env.get("PATH"))
	}
	if !isDefault {
		identity()
	}
	if r.Terminal != nil {
		term := r.Terminal.Term
		if term == "" {
			term = termDefault
		}
		env.set("TERM=" + term)
	}
	for _, entry := range r.Environment {
		env.set(string(entry))
	}
	cmd := command{environment: env.entries, directory: c.DirectoryOf(r.WorkingDirectory), user: user}
	for _, argument := range r.Argv {
		cmd.argv = append(cmd.argv, string(argument))
	}
	if len(cmd.argv) == 0 {
		// A leading '-' is how a shell is told that it is a login shell.
		cmd.path = user.Shell
		cmd.argv = []string{"-" + filepath.Base(user.Shell)}
	}
	return cmd, env, cmd.checkDirectory()
}

// UserOf looks up a user that a call asks for, by name or number; empty is the default user.
func (c Config) UserOf(who string) (users.User, error) {
	user, _, err := c.userOf(who)
	return user, err
}

func (c Config) userOf(who string) (user users.User, isDefault bool, err error) {
	if who == "" || who == c.DefaultUser.Name {
		return c.DefaultUser, true, nil
	}
	if user, err = c.Users.Find(who); err != nil {
		if who != rootName {
			return users.User{}, false, err
		}
		user = c.root()
	}
	if c.NoRoot && user.UID == 0 {
		return users.User{}, false, errNoRoot()
	}
	if !c.SwitchUsers && user.UID != c.DefaultUser.UID {
		return users.User{}, false, fault.New(fault.Unsupported, "this sandbox has one user, %s", c.DefaultUser.Name)
	}
	return user, user.UID == c.DefaultUser.UID, nil
}

// DirectoryOf resolves a directory that a call asks for; empty is the default.
func (c Config) DirectoryOf(asked string) string {
	if asked == "" {
		return c.WorkingDirectory
	}
	if !filepath.IsAbs(asked) {
		return filepath.Join(c.WorkingDirectory, asked)
	}
	return asked
}

func (c command) checkDirectory() error {
	var st unix.Stat_t
	err := unix.Stat(c.directory, &st)
	if err == nil && st.Mode&unix.S_IFMT != unix.S_IFDIR {
		err = unix.ENOTDIR
	}
	if err != nil {
		return &fault.Error{
			Code:    fault.InvalidArgument,
			Message: "the working directory " + c.directory + ": " + err.Error(),
			Remedy:  "name a directory of the sandbox, such as /",
			Cause:   err,
		}
	}
	return nil
}

// program is one file that may be what the command means.
type program struct {
	path   string
	exists bool // as far as the neuron sees it
}

// programs lists what exec is tried on, in order: argv[0] itself where it has a slash, else its
// namesakes in PATH, as execvp does.
func (c command) programs(path string) []program {
	name := c.path
	if name == "" {
		name = c.argv[0]
	}
	if name == "" {
		return nil
	}
	if strings.Contains(name, "/") {
		return []program{{name, c.exists(name)}}
	}
	var found []program
	for _, dir := range strings.Split(path, ":") {
		if dir == "" {
			dir = "."
		}
		if candidate := dir + "/" + name; c.exists(candidate) && !c.isFolder(candidate) {
			found = append(found, program{candidate, true})
		}
	}
	return found
}

func (c command) exists(path string) bool {
	var st unix.Stat_t
	err := unix.Stat(c.absolute(path), &st)
	return err != syscall.ENOENT && err != syscall.ENOTDIR
}

func (c command) isFolder(path string) bool {
	var st unix.Stat_t
	return unix.Stat(c.absolute(path), &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFDIR
}

func (c command) absolute(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(c.directory, path)
}

// mayEnter looks at the permission bits on the way to the directory. The kernel does not say whether
// chdir or exec was refused; this only finds the right words.
func (c command) mayEnter() bool {
	path, err := filepath.EvalSymlinks(c.directory)
	if err != nil {
		return true
	}
	for ; ; path = filepath.Dir(path) {
		var st unix.Stat_t
		if unix.Stat(path, &st) == nil && !searchable(st, c.user) {
			return false
		}
		if path == "/" || path == "." {
			return true
		}
	}
}

func searchable(st unix.Stat_t, u users.User) bool {
	const search = 1
	switch {
	case u.UID == 0:
		return true
	case st.Uid == u.UID:
		return st.Mode>>6&search != 0
	case st.Gid == u.GID || slices.Contains(u.Groups, st.Gid):
		return st.Mode>>3&search != 0
	default:
		return st.Mode&search != 0
	}
}
