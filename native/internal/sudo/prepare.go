package sudo

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"cortex.dev/native/internal/users"
)

const pathDefault = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// command is an ask that was found to be in order.
type command struct {
	argv        []string
	program     string // empty: argv[0] says
	path        string // PATH, in which it is looked for
	environment []string
	user        users.User
	directory   string // empty: the caller's, or the user's home
	login       bool
	umask       uint32
}

// umaskLeast is added to the caller's own, as sudo does: root's files are not for all to write.
const umaskLeast = 0o022

// commandTold is how much of the command SUDO_COMMAND holds, as with sudo.
const commandTold = 4096

func prepare(ask Ask, caller users.User) (command, error) {
	user, err := userOf(ask)
	if err != nil {
		return command{}, err
	}
	c := command{user: user, directory: ask.Directory, login: ask.Login, umask: ask.Umask&0o777 | umaskLeast}
	for _, argument := range ask.Argv {
		c.argv = append(c.argv, string(argument))
	}
	if err := c.chooseShell(ask); err != nil {
		return command{}, err
	}
	if len(c.argv) == 0 && !ask.Check {
		return command{}, errors.New("no command was named")
	}
	env := baseEnvironment()
	for _, entry := range ask.Keep {
		if name := nameOf(string(entry)); name != "PATH" {
			env.set(string(entry))
		}
	}
	if !ask.KeepsHome {
		env.set("HOME=" + user.Home)
	}
	env.set("USER=" + user.Name)
	env.set("LOGNAME=" + user.Name)
	if ask.Shell == "" || ask.Login {
		env.set("SHELL=" + user.Shell)
	} else {
		env.set("SHELL=" + ask.Shell)
	}
	env.set("SUDO_USER=" + caller.Name)
	env.set("SUDO_UID=" + strconv.FormatUint(uint64(caller.UID), 10))
	env.set("SUDO_GID=" + strconv.FormatUint(uint64(caller.GID), 10))
	told := strings.Join(c.argv, " ")
	env.set("SUDO_COMMAND=" + told[:min(len(told), commandTold)])
	for _, entry := range ask.Set {
		env.set(string(entry))
	}
	c.environment, c.path = env.entries, env.get("PATH")
	return c, nil
}

func userOf(ask Ask) (users.User, error) {
	who := ask.User
	if who == "" {
		who = "0"
	}
	user, err := users.System.Find(strings.TrimPrefix(who, "#"))
	if err != nil {
		return users.User{}, fmt.Errorf("unknown user %s", ask.User)
	}
	if user.Name == "0" {
		user.Name, user.Home = "root", "/root"
	}
	if ask.Group == "" {
		return user, nil
	}
	gid, found := users.System.FindGroup(strings.TrimPrefix(ask.Group, "#"))
	if !found {
		return users.User{}, fmt.Errorf("unknown group %s", ask.Group)
	}
	user.GID = gid
	return user, nil
}

// chooseShell makes a command a shell's where the caller asks for one; each argument stays one.
func (c *command) chooseShell(ask Ask) error {
	if !ask.Login && ask.Shell == "" {
		return nil
	}
	shell := ask.Shell
	if ask.Login {
		shell = c.user.Shell
	}
	if !filepath.IsAbs(shell) {
		return fmt.Errorf("the shell %q is no path", shell)
	}
	words := c.argv
	c.program, c.argv = shell, []string{filepath.Base(shell)}
	if ask.Login {
		// A leading '-' is how a shell is told that it is a login shell.
		c.argv = []string{"-" + filepath.Base(shell)}
	}
	if len(words) > 0 {
		quoted := make([]string, len(words))
		for i, word := range words {
			quoted[i] = quote(word)
		}
		c.argv = append(c.argv, "-c", strings.Join(quoted, " "))
	}
	return nil
}

// quote escapes what a shell would read as more than a letter, as sudo does; '$' stays, so that the
// new shell fills in its own variables.
func quote(word string) string {
	var b strings.Builder
	for i := range len(word) {
		c := word[i]
		plain := c == '_' || c == '-' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
		if !plain {
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	return b.String()
}

// variables are laid over each other, the later ones over the earlier.
type variables struct{ entries []string }

// baseEnvironment is the sandbox's own, which the neuron gave to this process: the image's
// variables and the proxies are in it.
func baseEnvironment() *variables {
	v := &variables{}
	v.set("PATH=" + pathDefault)
	for _, entry := range os.Environ() {
		v.set(entry)
	}
	return v
}

func nameOf(entry string) string {
	name, _, _ := strings.Cut(entry, "=")
	return name
}

func (v *variables) set(entry string) {
	for i := range v.entries {
		if nameOf(v.entries[i]) == nameOf(entry) {
			v.entries[i] = entry
			return
		}
	}
	v.entries = append(v.entries, entry)
}

func (v *variables) get(name string) string {
	for _, entry := range v.entries {
		if nameOf(entry) == name {
			return entry[len(name)+1:]
		}
	}
	return ""
}
