package files

import (
	"bufio"
	"errors"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// absolute makes path absolute without resolving anything: `..` and links mean what the kernel
// says they mean when the path is used.
func (c Caller) absolute(path string) (string, error) {
	if path == "" {
		return "", invalid("give a path", "the path is empty")
	}
	if strings.IndexByte(path, 0) >= 0 {
		return "", invalid("", "the path %s holds a NUL byte", quoted(path))
	}
	if path[0] != '/' {
		if c.Cwd == "" || c.Cwd[0] != '/' {
			return "", invalid("give an absolute path", "%s is relative and there is no working directory", quoted(path))
		}
		path = strings.TrimSuffix(c.Cwd, "/") + "/" + path
	}
	if len(path) >= unix.PathMax {
		return "", invalid("change the working directory to come closer", "the path of %d bytes is longer than Linux allows", len(path))
	}
	return path, nil
}

// Resolve makes path absolute and free of links, `.` and `..`, as far as it exists; ~ and ~name
// at its start mean home folders. exists says whether all of it does.
func (c Caller) Resolve(path string) (resolved string, exists bool, err error) {
	if strings.HasPrefix(path, "~") {
		if path, err = c.expandHome(path); err != nil {
			return "", false, err
		}
	}
	at, err := c.absolute(path)
	if err != nil {
		return "", false, err
	}
	err = c.as(func() error {
		resolved, exists, err = resolve(at)
		return err
	})
	return resolved, exists, failure("resolve", at, err)
}

// As many as the kernel follows.
const linksMost = 40

// resolve walks an absolute path component by component. What lies behind the first part that
// does not exist is taken by its words alone.
func resolve(path string) (string, bool, error) {
	done, rest, links, exists := "", path, 0, true
	for rest != "" {
		var name string
		name, rest, _ = strings.Cut(rest, "/")
		switch name {
		case "", ".":
			continue
		case "..":
			done = done[:max(0, strings.LastIndexByte(done, '/'))]
			continue
		}
		next := done + "/" + name
		if !exists {
			done = next
			continue
		}
		target, err := readLink(unix.AT_FDCWD, next)
		switch {
		case err == nil:
			if links++; links > linksMost {
				return "", false, unix.ELOOP
			}
			if len(target)+len(rest) > 4*unix.PathMax {
				return "", false, unix.ENAMETOOLONG
			}
			rest = target + "/" + rest
			if strings.HasPrefix(target, "/") {
				done = ""
			}
		case errors.Is(err, unix.EINVAL): // not a link
			done = next
		case errors.Is(err, unix.ENOENT):
			done, exists = next, false
		default:
			return "", false, err
		}
	}
	if done == "" {
		done = "/"
	}
	return done, exists, nil
}

func (c Caller) expandHome(path string) (string, error) {
	name, rest, _ := strings.Cut(path[1:], "/")
	home := c.Home
	if name != "" {
		var err error
		if home, err = homeOf(name); err != nil {
			return "", err
		}
	}
	if home == "" {
		return "", invalid("give an absolute path", "the user has no home folder, so %s means nothing", quoted(path))
	}
	return strings.TrimSuffix(home, "/") + "/" + rest, nil
}

// homeOf reads a user's home folder from /etc/passwd: a static program has no other source.
func homeOf(name string) (string, error) {
	file, err := os.Open("/etc/passwd")
	if err != nil {
		return "", failure("read", "/etc/passwd", err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		fields := strings.Split(lines.Text(), ":")
		if len(fields) >= 6 && fields[0] == name {
			return fields[5], nil
		}
	}
	return "", &Error{Code: NotFound, Message: "there is no user " + quoted(name), Remedy: "name a user of /etc/passwd"}
}
