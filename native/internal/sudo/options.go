package sudo

import (
	"errors"
	"fmt"
	"strings"
)

const usage = `usage: sudo [-EHbin] [-u USER] [-g GROUP] [-D DIRECTORY] [VAR=value] [-i | -s] [COMMAND [ARGUMENT...]]
       sudo -l [COMMAND] | -v | -k | -K | -V | -h

Runs a command as root of this sandbox, or as another user of it. No password is asked for.

  -u, --user=USER            as this user, by name or #number
  -g, --group=GROUP          with this group, by name or #number
  -i, --login                a login shell of that user, or the command in one
  -s, --shell                a shell, or the command in one
  -E, --preserve-env[=LIST]  with the caller's variables, all or those of the list
  -H, --set-home             with that user's HOME, also with -E
  -D, --chdir=DIRECTORY      in this directory
  -b, --background           without waiting for it
  -l, --list                 what is allowed
  -v, -k, -K, -n, -S, -A, -B, -p TEXT  are accepted: there is no password
`

// errUsage has been told already in words of its own.
var errUsage = errors.New("usage")

// options are the command line of sudo.
type options struct {
	user, group, directory string
	login, shell           bool
	keepAll                bool
	keep                   []string
	setHome                bool
	background             bool
	list, validate, forget bool
	version, help          bool
	set                    []string
	command                []string
}

// takes are the options that need a value.
var takes = map[string]func(*options, string){
	"u": func(o *options, v string) { o.user = v },
	"g": func(o *options, v string) { o.group = v },
	"D": func(o *options, v string) { o.directory = v },
	"p": func(*options, string) {},
}

var flags = map[string]func(*options){
	"E": func(o *options) { o.keepAll = true },
	"H": func(o *options) { o.setHome = true },
	"b": func(o *options) { o.background = true },
	"i": func(o *options) { o.login = true },
	"s": func(o *options) { o.shell = true },
	"l": func(o *options) { o.list = true },
	"v": func(o *options) { o.validate = true },
	"k": func(o *options) { o.forget = true },
	"K": func(o *options) { o.forget = true },
	"V": func(o *options) { o.version = true },
	"h": func(o *options) { o.help = true },
	"n": func(*options) {},
	"S": func(*options) {},
	"A": func(*options) {},
	"B": func(*options) {},
}

var longNames = map[string]string{
	"user": "u", "group": "g", "chdir": "D", "prompt": "p", "preserve-env": "E", "set-home": "H", "background": "b",
	"login": "i", "shell": "s", "list": "l", "validate": "v", "reset-timestamp": "k", "remove-timestamp": "K",
	"version": "V", "help": "h", "non-interactive": "n", "stdin": "S", "askpass": "A", "bell": "B",
}

// parse reads the arguments behind the program's name.
func parse(arguments []string) (o options, err error) {
	rest := arguments
	for len(rest) > 0 {
		word := rest[0]
		if word == "--" {
			rest = rest[1:]
			break
		}
		if len(word) < 2 || word[0] != '-' {
			if name, _, isVariable := strings.Cut(word, "="); isVariable && isName(name) {
				o.set = append(o.set, word)
				rest = rest[1:]
				continue
			}
			break
		}
		if rest, err = o.option(word, rest[1:]); err != nil {
			return o, err
		}
	}
	// Variables may stand behind "--" too.
	for len(rest) > 0 {
		name, _, isVariable := strings.Cut(rest[0], "=")
		if !isVariable || !isName(name) {
			break
		}
		o.set = append(o.set, rest[0])
		rest = rest[1:]
	}
	o.command = rest
	return o, o.check()
}

func (o *options) option(word string, rest []string) ([]string, error) {
	if long, isLong := strings.CutPrefix(word, "--"); isLong {
		return o.longOption(long, rest)
	}
	for letters := word[1:]; letters != ""; {
		letter := letters[:1]
		letters = letters[1:]
		if set, ok := flags[letter]; ok {
			set(o)
			continue
		}
		set, ok := takes[letter]
		if !ok {
			return nil, fmt.Errorf("the option -%s is not supported in a sandbox", letter)
		}
		if letters == "" {
			if len(rest) == 0 {
				return nil, fmt.Errorf("the option -%s needs a value", letter)
			}
			letters, rest = rest[0], rest[1:]
		}
		set(o, letters)
		return rest, nil
	}
	return rest, nil
}

func (o *options) longOption(long string, rest []string) ([]string, error) {
	name, value, hasValue := strings.Cut(long, "=")
	letter, known := longNames[name]
	switch {
	case !known:
		return nil, fmt.Errorf("the option --%s is not supported in a sandbox", name)
	case letter == "E" && hasValue:
		o.keep = append(o.keep, strings.Split(value, ",")...)
	case flags[letter] != nil && hasValue:
		return nil, fmt.Errorf("the option --%s takes no value", name)
	case flags[letter] != nil:
		flags[letter](o)
	case hasValue:
		takes[letter](o, value)
	case len(rest) == 0:
		return nil, fmt.Errorf("the option --%s needs a value", name)
	default:
		takes[letter](o, rest[0])
		return rest[1:], nil
	}
	return rest, nil
}

func (o *options) check() error {
	if o.login && o.shell {
		return errors.New("-i and -s exclude each other")
	}
	alone := o.list || o.validate || o.forget || o.version || o.help
	if !alone && !o.login && !o.shell && len(o.command) == 0 {
		return errUsage
	}
	return nil
}

func isName(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// kept are the variables that pass without being asked for: how text looks, and where windows are.
var kept = map[string]bool{
	"COLORTERM": true, "DISPLAY": true, "LANG": true, "LANGUAGE": true, "LINGUAS": true, "LS_COLORS": true, "TERM": true,
	"TZ": true, "XAUTHORITY": true, "XDG_CURRENT_DESKTOP": true,
}

// passed are the caller's variables that the command gets.
func (o *options) passed(environment []string) (passed [][]byte) {
	named := map[string]bool{}
	for _, name := range o.keep {
		named[name] = true
	}
	for _, entry := range environment {
		name := nameOf(entry)
		if o.keepAll || kept[name] || named[name] || strings.HasPrefix(name, "LC_") {
			passed = append(passed, []byte(entry))
		}
	}
	return passed
}
