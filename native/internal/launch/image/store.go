package image

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"cortex.dev/native/internal/launch"
	"golang.org/x/sys/unix"
)

// completeFile is written last into a layer's folder: the layer's record. A folder
// without it is no layer.
const completeFile = "complete"

// staged is a layer that is unpacked and not committed.
type staged struct {
	folder string
	// diff is the digest of its tar as it was read.
	diff string
	// whole: its tar had the mark of its end.
	whole bool
	layer launch.ImportedLayer
}

func (s staged) root() string { return filepath.Join(s.folder, "root") }

// chainOf is the chain id of a layer upon others.
func chainOf(beneath []launch.ImportedLayer, diff string) string {
	if len(beneath) == 0 {
		return strings.TrimPrefix(diff, "sha256:")
	}
	below := "sha256:" + beneath[len(beneath)-1].Chain
	return strings.TrimPrefix(digestOf([]byte(below+" "+diff)), "sha256:")
}

// reuse takes a layer that is there.
func (w *work) reuse(chain string) (bool, error) {
	record, err := os.ReadFile(filepath.Join(w.spec.Layers, chain, completeFile))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	var layer launch.ImportedLayer
	if err == nil {
		err = json.Unmarshal(record, &layer)
	}
	if err != nil {
		return false, fmt.Errorf("reading the layer %s: %w", chain, err)
	}
	if layer.Chain != chain {
		return false, launch.Fail(launch.DriverFailed, nil, "the layer in %s is another: %s", chain, layer.Chain)
	}
	layer.Reused = true
	w.add(layer)
	return true, nil
}

// commit puts a layer in its place. Whoever unpacked the same meanwhile and was
// first has put the same there.
func (w *work) commit(s staged, chain string) error {
	s.layer.Chain = chain
	record, err := json.Marshal(s.layer)
	if err != nil {
		return err
	}
	if err := writeSynced(filepath.Join(s.folder, completeFile), record); err != nil {
		return err
	}
	if err := syncAll(s.folder); err != nil {
		return err
	}
	target := filepath.Join(w.spec.Layers, chain)
	err = unix.Renameat2(unix.AT_FDCWD, s.folder, unix.AT_FDCWD, target, unix.RENAME_NOREPLACE)
	if errors.Is(err, unix.EEXIST) {
		if reused, err := w.reuse(chain); err != nil || reused {
			return err
		}
		return launch.Fail(launch.DriverFailed, nil, "something that is no layer is in its place: %s", target).
			WithRemedy("remove it: rm -r " + target)
	}
	if err != nil {
		return fmt.Errorf("putting the layer in its place: %w", err)
	}
	if err := syncFolder(w.spec.Layers); err != nil {
		return err
	}
	w.add(s.layer)
	return nil
}

func (w *work) add(layer launch.ImportedLayer) {
	w.answer.Layers = append(w.answer.Layers, layer)
	w.below = append([]string{filepath.Join(w.spec.Layers, layer.Chain, "root")}, w.below...)
	w.limits.Bytes -= layer.Bytes
	w.limits.Entries -= layer.Entries
}

// syncAll writes out the file system of a folder: one call for its thousands of
// files. A layer that is in its place is whole, also after a power cut.
func syncAll(folder string) error {
	return onFolder(folder, "writing the layer out", unix.Syncfs)
}

func syncFolder(folder string) error {
	return onFolder(folder, "writing the folder of layers out", unix.Fsync)
}

func onFolder(folder, doing string, do func(fd int) error) error {
	opened, err := os.Open(folder)
	if err == nil {
		err = errors.Join(do(int(opened.Fd())), opened.Close())
	}
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return nil
}

func writeSynced(path string, data []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("writing the layer's record: %w", err)
	}
	_, err = file.Write(data)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return fmt.Errorf("writing the layer's record: %w", err)
	}
	return nil
}
