package boot

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"cortex.dev/native/internal/fault"
	"cortex.dev/native/internal/users"
	"golang.org/x/sys/unix"
)

const (
	entropyMost  = 4 << 10
	hostnameMost = 64 // of Linux (__NEW_UTS_LEN)
)

// Identity is who the sandbox is.
type Identity struct {
	WallClockNanos int64 // 0: leave
	Entropy        []byte
	Hostname       string // empty: leave
	MachineID      string // empty: leave
}

// Identify sets what the sandbox is. A plain neuron leaves its machine alone.
func (m *Machine) Identify(i Identity) error {
	if err := i.validate(); err != nil {
		return err
	}
	if m.plain {
		return nil
	}
	if i.WallClockNanos != 0 {
		t := unix.NsecToTimeval(i.WallClockNanos)
		if err := unix.Settimeofday(&t); err != nil {
			return fault.Of(err, "set the clock to "+time.Unix(0, i.WallClockNanos).UTC().Format(time.RFC3339))
		}
	}
	if len(i.Entropy) > 0 {
		// Everybody may write there; it is mixed in and not credited.
		if err := writeExisting("/dev/urandom", i.Entropy); err != nil {
			return fault.Of(err, "mix entropy in")
		}
	}
	if i.Hostname != "" {
		if err := setHostname(i.Hostname); err != nil {
			return err
		}
	}
	if i.MachineID != "" {
		if err := replace("/etc/machine-id", i.MachineID+"\n"); err != nil {
			return fault.Of(err, "write /etc/machine-id")
		}
	}
	return nil
}

func (i Identity) validate() error {
	if len(i.Entropy) > entropyMost {
		return fault.New(fault.InvalidArgument, "more than %d bytes of entropy", entropyMost)
	}
	if len(i.Hostname) > hostnameMost || strings.ContainsFunc(i.Hostname, func(c rune) bool {
		return c != '-' && c != '.' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z')
	}) {
		return fault.New(fault.InvalidArgument, "%q is not a host name", i.Hostname)
	}
	if i.MachineID != "" && (len(i.MachineID) != 32 || strings.Trim(i.MachineID, "0123456789abcdef") != "") {
		return fault.New(fault.InvalidArgument, "the machine id is not 32 hex digits")
	}
	return nil
}

// setHostname is satisfied with a name that the runtime has set already.
func setHostname(name string) error {
	if current, err := os.Hostname(); err == nil && current == name {
		return nil
	}
	if err := unix.Sethostname([]byte(name)); err != nil {
		return fault.Of(err, "set the host name")
	}
	return nil
}

func writeExisting(path string, b []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.Write(b)
	return err
}

// replace writes a small file, unless it reads so already (the base may be read-only).
func replace(path, text string) error {
	if now, err := os.ReadFile(path); err == nil && string(now) == text {
		return nil
	}
	return os.WriteFile(path, []byte(text), 0o444)
}

// Settle gives the default user an entry, a home and a working directory.
func (m *Machine) Settle(db users.Database, u users.User, workingDirectory string) error {
	if !m.SwitchesUsers() {
		if err := os.MkdirAll(workingDirectory, 0o755); err != nil {
			return fault.Of(err, "make the working directory "+workingDirectory)
		}
		return nil
	}
	if u.UID != 0 {
		if err := db.Ensure(u); err != nil {
			return err
		}
	}
	for _, directory := range []string{u.Home, workingDirectory} {
		if err := ownDirectory(directory, u); err != nil {
			return fault.Of(err, "make "+directory)
		}
	}
	return nil
}

// ownDirectory makes what is missing of a path; what it made within the user's home, or as the last
// part, belongs to the user.
func ownDirectory(path string, u users.User) error {
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	parent := filepath.Dir(path)
	if parent != path {
		within := u
		if parent != u.Home && !strings.HasPrefix(parent, strings.TrimSuffix(u.Home, "/")+"/") {
			within = users.User{}
		}
		if err := ownDirectory(parent, within); err != nil {
			return err
		}
	}
	if err := os.Mkdir(path, 0o755); err != nil && !os.IsExist(err) {
		return err
	}
	return os.Lchown(path, int(u.UID), int(u.GID))
}
