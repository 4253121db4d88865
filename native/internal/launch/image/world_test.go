package image

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"cortex.dev/native/internal/launch"
	"cortex.dev/native/internal/testkit/need"
	"github.com/klauspost/compress/zstd"
)

// entry of a hand-made layer.
type entry struct {
	tar.Header
	content string
}

func dir(name string) entry {
	return entry{Header: tar.Header{Typeflag: tar.TypeDir, Name: name, Mode: 0o755}}
}

func file(name, content string) entry {
	return entry{Header: tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o644}, content: content}
}

func link(name, to string) entry {
	return entry{Header: tar.Header{Typeflag: tar.TypeSymlink, Name: name, Linkname: to}}
}

func layerOf(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var buffer bytes.Buffer
	writer := tar.NewWriter(&buffer)
	for _, each := range entries {
		each.Size = int64(len(each.content))
		if err := writer.WriteHeader(&each.Header); err != nil {
			t.Fatal(err)
		}
		if _, err := writer.Write([]byte(each.content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	return buffer.Bytes()
}

func gzipped(data []byte) []byte {
	var buffer bytes.Buffer
	writer := gzip.NewWriter(&buffer)
	_, _ = writer.Write(data)
	_ = writer.Close()
	return buffer.Bytes()
}

func zstded(data []byte) []byte {
	encoder, _ := zstd.NewWriter(nil)
	return encoder.EncodeAll(data, nil)
}

// made is an image as files by name.
type made map[string][]byte

func (m made) blob(mediaType string, data []byte) descriptor {
	digest := digestOf(data)
	m[blobName(digest)] = data
	return descriptor{MediaType: mediaType, Digest: digest, Size: int64(len(data))}
}

func text(t testing.TB, value any) []byte {
	t.Helper()
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func configOf(t testing.TB, architecture string, plain ...[]byte) []byte {
	t.Helper()
	diffs := []string{}
	for _, each := range plain {
		diffs = append(diffs, digestOf(each))
	}
	return text(t, map[string]any{
		"architecture": architecture, "os": "linux",
		"config": map[string]any{"Env": []string{"A=b"}, "User": "1000:1000"},
		"rootfs": map[string]any{"type": "layers", "diff_ids": diffs},
	})
}

// manifestOf puts an image of plain layers into the files, packed by pack.
func (m made) manifestOf(t testing.TB, architecture string, pack func([]byte) []byte, plain ...[]byte) descriptor {
	t.Helper()
	config := m.blob("application/vnd.oci.image.config.v1+json", configOf(t, architecture, plain...))
	layers := []descriptor{}
	for _, each := range plain {
		layers = append(layers, m.blob("application/vnd.oci.image.layer.v1.tar", pack(each)))
	}
	return m.blob("application/vnd.oci.image.manifest.v1+json", text(t, map[string]any{
		"schemaVersion": 2, "config": config, "layers": layers,
	}))
}

func (m made) index(t testing.TB, manifests ...descriptor) made {
	m["oci-layout"] = []byte(`{"imageLayoutVersion":"1.0.0"}`)
	m["index.json"] = text(t, map[string]any{"schemaVersion": 2, "manifests": manifests})
	return m
}

// layoutOf is a whole layout of one image.
func layoutOf(t testing.TB, pack func([]byte) []byte, plain ...[]byte) made {
	t.Helper()
	m := made{}
	return m.index(t, m.manifestOf(t, runtime.GOARCH, pack, plain...))
}

func plainly(data []byte) []byte { return data }

func (m made) folder(t testing.TB) string {
	t.Helper()
	folder := t.TempDir()
	for name, data := range m {
		path := filepath.Join(folder, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, data, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func (m made) archive(t testing.TB, pack func([]byte) []byte) string {
	t.Helper()
	var entries []entry
	for name, data := range m {
		entries = append(entries, file(name, string(data)))
	}
	return written(t, pack(layerOf(t, entries...)))
}

func written(t testing.TB, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "image")
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// home has the folders that an import needs.
type home struct {
	t      testing.TB
	folder string
}

func newHome(t testing.TB) home {
	t.Helper()
	need.Root(t, "owners and marks of layers are set")
	// Not beneath a folder that is open to everybody all the way.
	folder, err := os.MkdirTemp("", "images")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	if err := os.Mkdir(filepath.Join(folder, "layers"), 0o700); err != nil {
		t.Fatal(err)
	}
	return home{t, folder}
}

func (h home) request(source string) launch.ImportSpec {
	staging, err := os.MkdirTemp(h.folder, ".begun-")
	if err != nil {
		h.t.Fatal(err)
	}
	return launch.ImportSpec{
		Version: launch.Version, Source: source, Layers: filepath.Join(h.folder, "layers"), Staging: staging,
	}
}

func (h home) take(source string) (launch.Imported, error) {
	return Import(h.request(source), false, new(bytes.Buffer))
}

func (h home) mustTake(source string) launch.Imported {
	h.t.Helper()
	answer, err := h.take(source)
	if err != nil {
		h.t.Fatal(err)
	}
	return answer
}

// refused asserts the code and words of a refusal, and that no layer was committed.
func (h home) refused(source string, code launch.Code, words string) {
	h.t.Helper()
	_, err := h.take(source)
	h.isRefusal(err, code, words)
	if layers, err := os.ReadDir(filepath.Join(h.folder, "layers")); err != nil || len(layers) > 0 {
		h.t.Errorf("layers were left: %v, %v", layers, err)
	}
}

func (h home) isRefusal(err error, code launch.Code, words string) {
	h.t.Helper()
	var failure *launch.Failure
	if !errors.As(err, &failure) || launch.AsFailure(err).Code != code || !strings.Contains(err.Error(), words) {
		h.t.Fatalf("answered %v, expected %s with %q", err, code, words)
	}
}

func (h home) root(answer launch.Imported, layer int) string {
	return filepath.Join(h.folder, "layers", answer.Layers[layer].Chain, "root")
}
