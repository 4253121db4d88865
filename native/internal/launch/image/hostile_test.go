package image

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"cortex.dev/native/internal/launch"
	"golang.org/x/sys/unix"
)

func TestDigestsThatLieAreRefused(t *testing.T) {
	other := layerOf(t, dir("bin"), file("bin/other", "evil"))
	for name, lie := range map[string]func(m made, lower []byte){
		"of a layer": func(m made, lower []byte) { m[blobName(digestOf(lower))] = other },
		"of a layer, as long": func(m made, lower []byte) {
			same := bytes.Clone(lower)
			same[600] ^= 1
			m[blobName(digestOf(lower))] = same
		},
		"of the configuration": func(m made, lower []byte) {
			m[blobName(digestOf(configOf(t, runtime.GOARCH, lower)))] = configOf(t, runtime.GOARCH, other)
		},
		"of the manifest": func(m made, lower []byte) {
			for name, data := range m {
				if bytes.Contains(data, []byte("schemaVersion")) && strings.HasPrefix(name, "blobs") {
					m[name] = append(bytes.Clone(data), ' ')
				}
			}
		},
		"that are none": func(m made, lower []byte) {
			m["index.json"] = []byte(`{"manifests":[{"digest":"sha256:../../../../etc/passwd","size":1}]}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			lower := base(t)
			m := layoutOf(t, plainly, lower)
			lie(m, lower)
			newHome(t).refused(m.folder(t), launch.InvalidArgument, "")
		})
	}
	t.Run("of the content of a layer", func(t *testing.T) {
		m := made{}
		config := m.blob("", configOf(t, runtime.GOARCH, base(t)))
		layer := m.blob("", gzipped(other))
		manifest := m.blob("", text(t, map[string]any{"config": config, "layers": []descriptor{layer}}))
		newHome(t).refused(m.index(t, manifest).folder(t), launch.InvalidArgument, "the image says")
	})
	t.Run("of what docker saved", func(t *testing.T) {
		config := configOf(t, runtime.GOARCH, base(t))
		name := strings.TrimPrefix(digestOf(config), "sha256:") + ".json"
		saved := func(config, layer []byte) string {
			return made{name: config, "l.tar": layer, "manifest.json": text(t, []savedImage{{Config: name, Layers: []string{"l.tar"}}})}.archive(t, plainly)
		}
		newHome(t).refused(saved(config, other), launch.InvalidArgument, "the image says")
		newHome(t).refused(saved(configOf(t, runtime.GOARCH, other), other), launch.InvalidArgument, "not what its name")
	})
}

func TestSizesThatLieAreRefused(t *testing.T) {
	for _, lie := range []int64{1, -5, 1 << 60} {
		m := made{}
		lower := base(t)
		config := m.blob("", configOf(t, runtime.GOARCH, lower))
		layer := m.blob("", lower)
		layer.Size = lie
		manifest := m.blob("", text(t, map[string]any{"config": config, "layers": []descriptor{layer}}))
		newHome(t).refused(m.index(t, manifest).folder(t), launch.InvalidArgument, "bytes")
		manifest.Size = lie
		newHome(t).refused(m.index(t, manifest).folder(t), launch.InvalidArgument, "")
	}
}

// zeros is a gzip of that many zeros behind a tar: a thousandth of their size.
func zeros(t *testing.T, count int64) []byte {
	t.Helper()
	var packed bytes.Buffer
	writer := gzip.NewWriter(&packed)
	if _, err := writer.Write(base(t)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.CopyN(writer, endless{}, count); err != nil {
		t.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

type endless struct{}

func (endless) Read(into []byte) (int, error) {
	clear(into)
	return len(into), nil
}

func TestADecompressionBombEndsAtTheLimit(t *testing.T) {
	h := newHome(t)
	for _, source := range []string{
		// In a layer, and around an archive.
		func() string {
			m := made{}
			config := m.blob("", configOf(t, runtime.GOARCH, base(t)))
			manifest := m.blob("", text(t, map[string]any{"config": config, "layers": []descriptor{m.blob("", zeros(t, 64<<20))}}))
			return m.index(t, manifest).folder(t)
		}(),
		written(t, zeros(t, 64<<20)),
	} {
		request := h.request(source)
		request.MaxBytes, request.MaxEntries = 1<<20, 100
		_, err := Import(request, false, new(strings.Builder))
		h.isRefusal(err, launch.InvalidArgument, "more than")
	}
	request := h.request(layoutOf(t, gzipped, layerOf(t, file("big", strings.Repeat("x", 1<<20)))).folder(t))
	request.MaxBytes = 1000
	_, err := Import(request, false, new(strings.Builder))
	h.isRefusal(err, launch.InvalidArgument, "more than 1000 bytes")
	many := []entry{}
	for i := range 200 {
		many = append(many, file(fmt.Sprint(i), ""))
	}
	request = h.request(layoutOf(t, gzipped, layerOf(t, many[:120]...), layerOf(t, many...)).folder(t))
	request.MaxEntries = 250
	_, err = Import(request, false, new(strings.Builder))
	h.isRefusal(err, launch.InvalidArgument, "entries")
}

func TestNoPathLeadsOutOfALayer(t *testing.T) {
	outside := t.TempDir()
	for name, layers := range map[string][][]byte{
		"up":                          {layerOf(t, file("../../escaped", "x"))},
		"absolute":                    {layerOf(t, file(outside+"/escaped", "x"))},
		"through its own link":        {layerOf(t, link("out", outside), file("out/escaped", "x"))},
		"a whiteout of up":            {layerOf(t, file(".wh...", ""))},
		"a whiteout of itself":        {layerOf(t, file("a/.wh..", ""))},
		"a whiteout through a link":   {layerOf(t, link("out", outside), file("out/.wh.kept", ""))},
		"an opaque mark over a link":  {layerOf(t, link("out", outside), file("out/.wh..wh..opq", ""))},
		"a hard link out":             {layerOf(t, func() entry { e := link("x", "../../etc/passwd"); e.Typeflag = '1'; return e }())},
		"a hard link to a lower file": {base(t), layerOf(t, func() entry { e := link("x", "bin/sh"); e.Typeflag = '1'; return e }())},
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(filepath.Join(outside, "kept"), []byte("kept"), 0o644); err != nil {
				t.Fatal(err)
			}
			h := newHome(t)
			_, err := h.take(layoutOf(t, plainly, layers...).folder(t))
			h.isRefusal(err, launch.InvalidArgument, "entry")
			entries, err := os.ReadDir(outside)
			if err != nil || len(entries) != 1 {
				t.Errorf("outside there is %v, %v", entries, err)
			}
		})
	}
}

func TestALinkOfAnEarlierLayerLeadsNoLaterLayerAnywhere(t *testing.T) {
	outside := t.TempDir()
	h := newHome(t)
	answer := h.mustTake(layoutOf(t, plainly, layerOf(t, dir("bin"), link("out", outside)), layerOf(t, file("out/file", "x"), file("out/.wh.kept", ""))).folder(t))
	if entries, err := os.ReadDir(outside); err != nil || len(entries) != 0 {
		t.Errorf("outside there is %v, %v", entries, err)
	}
	var stat unix.Stat_t
	if err := unix.Lstat(h.root(answer, 1)+"/out", &stat); err != nil || stat.Mode&unix.S_IFMT != unix.S_IFDIR {
		t.Errorf("it is %o, %v", stat.Mode, err)
	}
}

func TestAHundredThousandEntriesComeOut(t *testing.T) {
	var entries []entry
	for i := range 100_000 {
		entries = append(entries, file(fmt.Sprintf("d%d/f%d", i/1000, i), ""))
	}
	answer := newHome(t).mustTake(layoutOf(t, gzipped, layerOf(t, entries...)).folder(t))
	if answer.Layers[0].Entries != 100_000 {
		t.Errorf("answered %+v", answer.Layers)
	}
}

func TestWhatIsCutOffIsRefused(t *testing.T) {
	whole, err := os.ReadFile(layoutOf(t, gzipped, base(t)).archive(t, plainly))
	if err != nil {
		t.Fatal(err)
	}
	packed, root := gzipped(whole), base(t)
	for name, data := range map[string][]byte{
		"nothing":             {},
		"text":                []byte(strings.Repeat("hello ", 200)),
		"a layout":            whole[:len(whole)/2],
		"gzip":                packed[:len(packed)/2],
		"gzip without end":    packed[:len(packed)-4],
		"zstd":                zstded(whole)[:300],
		"a root in a file":    root[:1400],
		"a root between two":  root[:1024],
		"a root without end":  root[:len(root)-1024],
		"xz":                  append([]byte("\xfd7zXZ\x00"), make([]byte, 100)...),
		"a layer in a layout": nil,
	} {
		t.Run(name, func(t *testing.T) {
			h := newHome(t)
			source := written(t, data)
			if name == "a layer in a layout" {
				m := made{}
				lower := gzipped(base(t))
				config := m.blob("", configOf(t, runtime.GOARCH, base(t)))
				layer := m.blob("", lower[:len(lower)-6])
				source = m.index(t, m.blob("", text(t, map[string]any{"config": config, "layers": []descriptor{layer}}))).folder(t)
			}
			_, err := h.take(source)
			var failure *launch.Failure
			if !errors.As(err, &failure) || (failure.Code != launch.InvalidArgument && failure.Code != launch.Unsupported) {
				t.Fatalf("answered %v", err)
			}
			if layers, err := os.ReadDir(filepath.Join(h.folder, "layers")); err != nil || len(layers) > 0 {
				t.Errorf("layers were left: %v, %v", layers, err)
			}
		})
	}
}

func TestDocumentsThatAreNoneAreRefused(t *testing.T) {
	lower := base(t)
	for name, change := range map[string]func(m made){
		"an index that is a manifest too": func(m made) {
			m["index.json"] = []byte(`{"manifests":[],"layers":[]}`)
		},
		"no image":       func(m made) { m["index.json"] = []byte(`{"manifests":[]}`) },
		"no JSON":        func(m made) { m["index.json"] = []byte(`{`) },
		"null":           func(m made) { m["index.json"] = []byte(`null`) },
		"a missing blob": func(m made) { delete(m, blobName(digestOf(lower))) },
		"10,000 layers": func(m made) {
			plain := make([][]byte, 10_000)
			for i := range plain {
				plain[i] = lower
			}
			m.index(t, m.manifestOf(t, runtime.GOARCH, plainly, plain...))
		},
		"more layers than the configuration": func(m made) {
			config := m.blob("", configOf(t, runtime.GOARCH, lower))
			m.index(t, m.blob("", text(t, map[string]any{"config": config, "layers": []descriptor{m.blob("", lower), m.blob("", lower)}})))
		},
		"no layers": func(m made) { m.index(t, m.manifestOf(t, runtime.GOARCH, plainly)) },
		"an artefact": func(m made) {
			config := m.blob("", []byte(`{}`))
			m.index(t, m.blob("", text(t, map[string]any{"config": config, "layers": []descriptor{m.blob("", lower)}})))
		},
		"no configuration": func(m made) { m.index(t, m.blob("", []byte(`{"layers":[]}`))) },
		"indexes without an end": func(m made) {
			// A true cycle cannot be made, its digest would have to be known before; one
			// that says so is refused by the digest, and a deep one by its depth.
			d := m.manifestOf(t, runtime.GOARCH, plainly, lower)
			for range 20 {
				d = m.blob("", text(t, map[string]any{"manifests": []descriptor{d}}))
			}
			m.index(t, d)
		},
		"an index of itself": func(m made) {
			d := descriptor{Digest: digestOf(nil), Size: 10}
			m[blobName(d.Digest)] = text(t, map[string]any{"manifests": []descriptor{d}})
			d.Size = int64(len(m[blobName(d.Digest)]))
			m.index(t, d)
		},
		"a large index": func(m made) {
			m["index.json"] = append([]byte(`{"manifests":[]}`), bytes.Repeat([]byte(" "), maxManifest)...)
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := layoutOf(t, plainly, lower)
			change(m)
			newHome(t).refused(m.folder(t), launch.InvalidArgument, "")
		})
	}
}

func TestALinkInALayoutIsNotFollowed(t *testing.T) {
	lower := base(t)
	m := layoutOf(t, plainly, lower)
	folder := m.folder(t)
	blob := filepath.Join(folder, blobName(digestOf(lower)))
	moved := written(t, lower)
	if err := errors.Join(os.Remove(blob), os.Symlink(moved, blob)); err != nil {
		t.Fatal(err)
	}
	newHome(t).refused(folder, launch.InvalidArgument, "is a link")
	if err := errors.Join(os.Remove(blob), unix.Mkfifo(blob, 0o600)); err != nil {
		t.Fatal(err)
	}
	newHome(t).refused(folder, launch.InvalidArgument, "no file")
}

func TestAFullDiskIsToldAsSuch(t *testing.T) {
	h := newHome(t)
	if err := unix.Mount("tmpfs", h.folder, "tmpfs", 0, "size=8m,mode=700"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Unmount(h.folder, unix.MNT_DETACH) })
	if err := os.Mkdir(filepath.Join(h.folder, "layers"), 0o700); err != nil {
		t.Fatal(err)
	}
	large := layerOf(t, dir("bin"), file("big", strings.Repeat("0123456789abcdef", 1<<20)))
	_, err := h.take(layoutOf(t, gzipped, large).folder(t))
	h.isRefusal(err, launch.DiskFull, "big")
	_, err = h.take(written(t, gzipped(large)))
	if launch.AsFailure(err).Code != launch.DiskFull {
		t.Errorf("answered %v", err)
	}
}

func FuzzArchive(f *testing.F) {
	f.Add(layerOf(f, file("oci-layout", "{}"), file("index.json", `{"manifests":[]}`)))
	f.Add(layerOf(f, file("manifest.json", `[{"Config":"a.json","Layers":["b.tar"]}]`), file("a.json", "{}")))
	f.Fuzz(func(t *testing.T, data []byte) {
		folder := t.TempDir()
		_ = os.Chmod(filepath.Dir(folder), 0o700)
		path := filepath.Join(folder, "archive")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"layers", "staging"} {
			_ = os.Mkdir(filepath.Join(folder, name), 0o700)
		}
		_, _ = Import(launch.ImportSpec{
			Version: 1, Source: path, Layers: folder + "/layers", Staging: folder + "/staging", MaxBytes: 1 << 20, MaxEntries: 100,
		}, false, io.Discard)
	})
}
