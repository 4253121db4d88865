package image

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"cortex.dev/native/internal/launch"
)

// tail is a reader that remembers the last block that went through.
type tail struct {
	from io.Reader
	last []byte
}

const tarBlock = 512

func (t *tail) Read(into []byte) (int, error) {
	n, err := t.from.Read(into)
	t.last = append(t.last, into[:n]...)
	if over := len(t.last) - tarBlock; over > 0 {
		t.last = append(t.last[:0], t.last[over:]...)
	}
	return n, err
}

// whole says whether a tar ended with the mark of its end. A digest tells that of
// an image's layers; a plain root file system has none.
func (t *tail) whole() bool {
	for _, each := range t.last {
		if each != 0 {
			return false
		}
	}
	return len(t.last) == tarBlock
}

// rootConfig is the configuration of a plain root file system's image: the same
// tar and the same settings are the same image everywhere.
func rootConfig(settings launch.RawObject, diff string) ([]byte, error) {
	config := map[string]any{}
	if len(settings) > 0 {
		if err := json.Unmarshal(settings, &config); err != nil {
			return nil, launch.Fail(launch.InvalidArgument, err, "config")
		}
	}
	return json.Marshal(map[string]any{
		"architecture": machine.Architecture,
		"os":           machine.OS,
		"config":       config,
		"rootfs":       map[string]any{"type": "layers", "diff_ids": []string{diff}},
	})
}

// checkRoot: links count unseen, since an absolute one leads somewhere only inside.
func checkRoot(folder string) error {
	for _, name := range []string{"bin", "usr/bin"} {
		if _, err := os.Lstat(filepath.Join(folder, name)); err == nil {
			return nil
		} else if !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("looking at the root: %w", err)
		}
	}
	return launch.Fail(launch.InvalidArgument, nil, "the archive holds no root file system: it has neither bin nor usr/bin").
		WithRemedy("give an OCI layout, what docker save made, or a tar of a whole root as docker export makes it")
}
