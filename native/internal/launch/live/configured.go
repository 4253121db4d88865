package live

import (
	"bufio"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// configBytes is as much as is read of a repository's configuration.
const configBytes = 1 << 20

// configured are places in a folder that the configuration of its repository
// names: where hooks lie, and files of configuration that are read with it.
func configured(folder string) []string {
	file, err := os.Open(filepath.Join(folder, gitName, "config"))
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
