package workspace

import (
	"bytes"
	"encoding/base64"
	"unicode/utf8"

	"cortex.dev/native/internal/launch"
	"cortex.dev/native/internal/launch/live"
	"cortex.dev/native/internal/workspace/text"
)

// FileChange is one change as it is told.
type FileChange struct {
	// Path, or PathB64 where it is no UTF-8.
	Path    string `json:"path,omitempty"`
	PathB64 string `json:"path_b64,omitempty"`
	// Change is added, modified, deleted, replaced (a link by a file, or the other
	// way round) or mode.
	Change string `json:"change"`
	// OldMode and NewMode as git has them, "" where there is nothing.
	OldMode string `json:"old_mode"`
	NewMode string `json:"new_mode"`
	// Added and Removed lines; 0 of binary files.
	Added   int  `json:"added"`
	Removed int  `json:"removed"`
	Binary  bool `json:"binary"`
	// Risk is why it is not applied unless asked for, "" for most.
	Risk string `json:"risk"`
}

// Changes are all changes of a workspace.
type Changes struct {
	Version int    `json:"version"`
	Folder  string `json:"folder"`
	// Files by path.
	Files []FileChange `json:"files"`
	// Skipped are sockets, pipes and devices in the workspace.
	Skipped int `json:"skipped"`
}

// Compare tells what changed in a workspace since it was copied, or since it was
// last applied. only names paths; empty: all.
func Compare(place Place, only []string) (Changes, error) {
	base, err := openBase(place)
	if err != nil {
		return Changes{}, err
	}
	defer base.close()
	s, err := changesOf(place, base, only)
	if err != nil {
		return Changes{}, err
	}
	told := Changes{Version: launch.Version, Folder: base.Source, Files: []FileChange{}, Skipped: s.skipped}
	for _, c := range s.changes {
		told.Files = append(told.Files, summary(c))
	}
	return told, nil
}

func summary(c Change) FileChange {
	f := FileChange{Change: c.Kind(), OldMode: mode(c.Old), NewMode: mode(c.New), Risk: risk(c)}
	f.Path, f.PathB64 = spelled(c.Path)
	f.Binary = text.Binary(c.Old.Content) || text.Binary(c.New.Content)
	if !f.Binary {
		f.Added, f.Removed = text.Counted(text.Changes(text.Lines(c.Old.Content), text.Lines(c.New.Content)))
	}
	return f
}

// spelled gives a path as text, or in base 64 where it is none.
func spelled(path string) (asText, b64 string) {
	if utf8.ValidString(path) {
		return path, ""
	}
	return "", base64.StdEncoding.EncodeToString([]byte(path))
}

func mode(s State) string {
	switch {
	case s.absent():
		return ""
	case s.Kind == symlink:
		return "120000"
	case s.Executable:
		return "100755"
	default:
		return "100644"
	}
}

// risk is why a change may do something on the host without being asked.
func risk(c Change) string {
	if (live.Rule{}).Protected(c.Path) {
		return "the host may run it by itself"
	}
	if c.New.Kind == symlink && leadsOut(c.Path, c.New.Content) {
		return "a link out of the folder"
	}
	return ""
}

// leadsOut follows the words of a link's target from where the link is.
func leadsOut(name string, target []byte) bool {
	if len(target) == 0 || target[0] == '/' {
		return true
	}
	depth := bytes.Count([]byte(name), []byte{'/'})
	for part := range bytes.SplitSeq(target, []byte{'/'}) {
		switch string(part) {
		case "", ".":
		case "..":
			if depth--; depth < 0 {
				return true
			}
		default:
			depth++
		}
	}
	return false
}
