package live

import (
	"bufio"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// configBytes is as much as is read of a repository's configuration.
const configBytes = 1 << 20

// configured are places in a folder that the configuration of its repository
// names: where hooks lie, and files of configuration that are read with it.
// root is the folder by descriptor, and folder its name in the configuration.
func configured(root *os.File, folder string) []string {
	file, err := configuration(root)
	if err != nil {
		return nil // no repository, or a linked work tree, whose configuration is elsewhere
	}
	defer file.Close()
	var places []string
	section := ""
	for lines := bufio.NewScanner(io.LimitReader(file, configBytes)); lines.Scan(); {
		line := strings.TrimSpace(lines.Text())
		if strings.HasPrefix(line, "[") {
			section = strings.ToLower(strings.TrimLeft(strings.SplitN(strings.SplitN(line, "]", 2)[0], " ", 2)[0], "["))
			if _, rest, found := strings.Cut(line, "]"); found {
				line = strings.TrimSpace(rest)
			}
		}
		key, value, _ := strings.Cut(line, "=")
		value = strings.Trim(strings.TrimSpace(value), `"`)
		switch section + "." + strings.ToLower(strings.TrimSpace(key)) {
		case "core.hookspath":
			places = append(places, within(folder, value, ".")...)
		case "include.path", "includeif.path":
			places = append(places, within(folder, value, gitName)...)
		}
	}
	return places
}

// configuration is read beneath the folder, whatever links lead out of it, and only where it is a file: a pipe would keep
// whoever opens it waiting.
func configuration(root *os.File) (*os.File, error) {
	fd, err := unix.Openat2(int(root.Fd()), gitName+"/config", &unix.OpenHow{
		Flags:   unix.O_RDONLY | unix.O_NONBLOCK | unix.O_NOCTTY | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_MAGICLINKS,
	})
	if err != nil {
		return nil, err
	}
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil || stat.Mode&unix.S_IFMT != unix.S_IFREG {
		_ = unix.Close(fd)
		return nil, errors.Join(err, unix.EINVAL)
	}
	return os.NewFile(uintptr(fd), "config"), nil
}

// within is a configured path relative to the folder, where it lies in it: hooks
// begin at the work tree, included files at the file that includes them.
func within(folder, value, from string) []string {
	if value == "" {
		return nil
	}
	if path.IsAbs(value) {
		relative, err := filepath.Rel(folder, value)
		if err != nil {
			return nil
		}
		value, from = relative, "."
	}
	if value = path.Join(from, value); !filepath.IsLocal(value) || value == "." {
		return nil
	}
	return []string{strings.ToLower(value)}
}
