// Package image takes an image into a home: it reads an OCI image layout, an archive
// of docker save or a plain tar of a root file system, whose maker may be a stranger,
// checks every digest, and unpacks each layer into a folder of its own, from which an
// overlay is made later. A layer is committed by one rename of a folder that is
// complete and on the disk.
package image

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"cortex.dev/native/internal/launch"
	"cortex.dev/native/internal/launch/compressed"
	"cortex.dev/native/internal/launch/untar"
)

// unknownSize of a layer whose description has none.
const unknownSize = -1

// found is the image that a source has.
type found struct {
	kind     string
	manifest string
	names    []string
	config   []byte
	layers   []layer
}

// layer of an image in its source.
type layer struct {
	// what it is to people.
	what string
	name string
	// digest and size as they lie in the source; digest empty and size unknown where
	// nothing tells.
	digest string
	size   int64
	// diff is the digest of the plain tar.
	diff string
}

// work is one import under way.
type work struct {
	spec     launch.ImportSpec
	limits   untar.Limits
	inUserNS bool
	progress *progress
	answer   launch.Imported
	below    []string
}

// Import imports what a checked request asks for. inUserNS says that the caller is
// root of its own user namespace alone; progress gets a launch.Progress a line.
func Import(spec launch.ImportSpec, inUserNS bool, progressTo io.Writer) (launch.Imported, error) {
	w := &work{spec: spec, limits: untar.Generous, inUserNS: inUserNS, progress: newProgress(progressTo)}
	if spec.MaxBytes > 0 {
		w.limits.Bytes = spec.MaxBytes
	}
	if spec.MaxEntries > 0 {
		w.limits.Entries = spec.MaxEntries
	}
	w.answer.Version, w.answer.Names = launch.Version, []string{}
	w.answer.Layers = []launch.ImportedLayer{}
	if err := w.run(); err != nil {
		return launch.Imported{}, err
	}
	return w.answer, nil
}

func (w *work) run() error {
	info, err := os.Stat(w.spec.Source)
	if err != nil {
		return unreadable(w.spec.Source, err)
	}
	if info.IsDir() {
		return w.folder()
	}
	if !info.Mode().IsRegular() {
		return launch.Fail(launch.InvalidArgument, nil, "%s is neither a file nor a folder", w.spec.Source)
	}
	return w.archive()
}

func unreadable(path string, err error) error {
	code := launch.InvalidArgument
	if errors.Is(err, fs.ErrNotExist) {
		code = launch.NotFound
	}
	return launch.Fail(code, err, "the image cannot be read").
		WithRemedy("give the path of a file or folder on the daemon's machine: " + path)
}

func (w *work) folder() error {
	folder, err := os.Open(w.spec.Source)
	if err != nil {
		return unreadable(w.spec.Source, err)
	}
	defer folder.Close()
	from := folderSource{folder}
	if has(from, "index.json") || has(from, "manifest.json") {
		return w.image(from)
	}
	return launch.Fail(launch.InvalidArgument, nil, "%s is no OCI image layout: it has no index.json", w.spec.Source).
		WithRemedy("a folder that is a root file system needs no import, it is used in place: --image " + w.spec.Source)
}

func (w *work) archive() error {
	file, err := os.Open(w.spec.Source)
	if err != nil {
		return unreadable(w.spec.Source, err)
	}
	defer file.Close()
	plain, err := w.plain(file)
	if err != nil {
		return err
	}
	if plain != file {
		defer plain.Close()
	}
	from, err := newArchiveSource(plain)
	if err != nil {
		return err
	}
	layoutThere := has(from, "oci-layout") && has(from, "index.json")
	if !from.root && (layoutThere || has(from, "manifest.json")) {
		return w.image(from)
	}
	return w.root(plain)
}

// plain is the archive without its compression: the file itself, or a copy in the
// staging folder, since an image's parts are not read in the order in which they lie.
func (w *work) plain(file *os.File) (*os.File, error) {
	magic := make([]byte, 6)
	if n, err := file.ReadAt(magic, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, unreadable(w.spec.Source, err)
	} else if compressed.Plain(magic[:n]) {
		return file, nil
	}
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	w.progress.begin("reading", info.Size())
	reader, err := compressed.Reader(w.progress.reading(file))
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	copied, err := os.OpenFile(filepath.Join(w.spec.Staging, "archive"), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fmt.Errorf("unpacking the archive: %w", err)
	}
	if err = w.copyPlain(copied, reader); err == nil {
		_, err = copied.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(err, copied.Close())
	}
	return copied, nil
}

func (w *work) copyPlain(to *os.File, from io.Reader) error {
	room := untar.NewRoom(int(to.Fd()))
	buffer := make([]byte, 1<<20)
	bounded := measure(from, w.limits.Bytes, "the archive, unpacked,")
	for {
		n, err := bounded.Read(buffer)
		if full := room.Taken(int64(n)); full != nil {
			return fmt.Errorf("unpacking the archive: %w", full)
		}
		if _, err := to.Write(buffer[:n]); err != nil {
			return fmt.Errorf("unpacking the archive: %w", err)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return broken("the archive", err)
		}
	}
}

// broken is an archive whose compression or end is wrong.
func broken(what string, err error) error {
	var failure *launch.Failure
	if errors.As(err, &failure) {
		return err
	}
	return launch.Fail(launch.InvalidArgument, err, "%s is damaged or cut off", what).
		WithRemedy("copy it again, whole")
}

func (w *work) image(from source) error {
	if len(w.spec.Config) > 0 {
		return launch.Fail(launch.InvalidArgument, nil, "the image has a configuration of its own").
			WithRemedy("leave --config, --env and the like out here; give them when you make a sandbox")
	}
	image, err := find(from, w.spec.Select)
	if err != nil {
		return err
	}
	w.progress.begin("unpacking", total(from, image.layers))
	for i, layer := range image.layers {
		if err := w.layer(from, layer, i); err != nil {
			return fmt.Errorf("%s: %w", layer.what, err)
		}
	}
	w.answer.Kind, w.answer.Manifest, w.answer.Names = image.kind, image.manifest, image.names
	w.answer.Digest, w.answer.Config = digestOf(image.config), image.config
	return nil
}

// find prefers the layout of an archive that is both: it has the manifest.
func find(from source, selected string) (found, error) {
	if !has(from, "index.json") {
		return saved{from}.find(selected)
	}
	image, err := layout{from}.find(selected)
	if err != nil || !has(from, "manifest.json") {
		return image, err
	}
	// Its names are whole there.
	images, err := saved{from}.list()
	if err != nil {
		return found{}, err
	}
	for _, each := range images {
		if match := named.FindStringSubmatch(each.Config); match != nil && "sha256:"+match[1] == digestOf(image.config) && len(each.RepoTags) > 0 {
			image.names = each.RepoTags
		}
	}
	return image, nil
}

func total(from source, layers []layer) int64 {
	var bytes int64
	for _, layer := range layers {
		if file, err := from.open(layer.name); err == nil {
			bytes += file.size
			_ = file.close()
		}
	}
	return bytes
}

// layer takes one layer, unless its chain is there.
func (w *work) layer(from source, each layer, number int) error {
	file, err := from.open(each.name)
	if errors.Is(err, fs.ErrNotExist) {
		return missing(each.name, err)
	}
	if err != nil {
		return err
	}
	defer func() { _ = file.close() }()
	if each.size != unknownSize && file.size != each.size {
		return launch.Fail(launch.InvalidArgument, nil, "it has %d bytes, the manifest says %d", file.size, each.size)
	}
	chain := chainOf(w.answer.Layers, each.diff)
	if reused, err := w.reuse(chain); err != nil || reused {
		w.progress.add(file.size)
		return err
	}
	packed := measure(w.progress.reading(file), file.size, "the layer")
	s, err := w.unpack(packed, number)
	if err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, packed); err != nil {
		return err
	}
	if each.digest != "" && packed.digest() != each.digest {
		return lies(each.digest, packed.digest())
	}
	if s.diff != each.diff {
		return lies(each.diff, s.diff)
	}
	return w.commit(s, chain)
}

func lies(said, is string) error {
	return launch.Fail(launch.InvalidArgument, nil, "its digest is %s, the image says %s", is, said).
		WithRemedy("the image was changed or damaged: copy it again")
}

// unpack unpacks a layer, compressed or not, into the staging folder.
func (w *work) unpack(packed io.Reader, number int) (staged, error) {
	reader, err := compressed.Reader(packed)
	if err != nil {
		return staged{}, err
	}
	defer reader.Close()
	s := staged{folder: filepath.Join(w.spec.Staging, fmt.Sprintf("layer-%d", number))}
	if err := errors.Join(os.Mkdir(s.folder, 0o700), os.Mkdir(s.root(), 0o755)); err != nil {
		return staged{}, fmt.Errorf("making the layer's folder: %w", err)
	}
	// Headers, and what follows the end of the archive, are in no file's size.
	plain := measure(reader, w.limits.Bytes+w.limits.Entries*4*tarBlock, "the layer, unpacked,")
	ended := &tail{from: plain}
	extracted, err := untar.Layer(ended, s.root(), w.limits, untar.Layering{Below: w.below, InUserNamespace: w.inUserNS})
	if err != nil {
		return staged{}, err
	}
	s.whole = ended.whole()
	if _, err := io.Copy(io.Discard, plain); err != nil {
		return staged{}, broken("the layer", err)
	}
	s.diff = plain.digest()
	s.layer = launch.ImportedLayer{
		DiffID: s.diff, Bytes: extracted.Bytes, Entries: extracted.Entries, SkippedDevices: extracted.SkippedDevices,
	}
	return s, nil
}

// root takes a plain tar of a root file system as an image of one layer.
func (w *work) root(file *os.File) error {
	if w.spec.Select != "" {
		return launch.Fail(launch.InvalidArgument, nil, "the source is a root file system, which has nothing to select")
	}
	info, err := file.Stat()
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		return err
	}
	w.progress.begin("unpacking", info.Size())
	s, err := w.unpack(w.progress.reading(file), 0)
	if err != nil {
		return err
	}
	if !s.whole {
		return launch.Fail(launch.InvalidArgument, nil, "the archive has no end: it was cut off").WithRemedy("copy it again, whole")
	}
	if err := checkRoot(s.root()); err != nil {
		return err
	}
	config, err := rootConfig(w.spec.Config, s.diff)
	if err != nil {
		return err
	}
	chain := chainOf(nil, s.diff)
	reused, err := w.reuse(chain)
	if err == nil && !reused {
		err = w.commit(s, chain)
	}
	w.answer.Kind, w.answer.Digest, w.answer.Config = "root", digestOf(config), config
	return err
}
