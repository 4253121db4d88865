package image

import (
	"archive/tar"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"cortex.dev/native/internal/launch"
	"golang.org/x/sys/unix"
)

func base(t testing.TB) []byte {
	return layerOf(t, dir("bin"), file("bin/sh", "a shell"), dir("etc"), file("etc/gone", "x"), dir("etc/old"), file("etc/old/a", "x"))
}

func TestEveryFormOfAnImageIsTheSameImage(t *testing.T) {
	lower, upper := base(t), layerOf(t, file("etc/new", "new"))
	docker := func() made {
		config := configOf(t, runtime.GOARCH, lower, upper)
		name := strings.TrimPrefix(digestOf(config), "sha256:") + ".json"
		return made{
			name: config, "one/layer.tar": lower, "two/layer.tar": upper,
			"manifest.json": text(t, []savedImage{{Config: name, RepoTags: []string{"app:1"}, Layers: []string{"one/layer.tar", "two/layer.tar"}}}),
		}
	}
	want := digestOf(configOf(t, runtime.GOARCH, lower, upper))
	for name, source := range map[string]string{
		"folder, plain layers":       layoutOf(t, plainly, lower, upper).folder(t),
		"folder, gzip layers":        layoutOf(t, gzipped, lower, upper).folder(t),
		"folder, zstd layers":        layoutOf(t, zstded, lower, upper).folder(t),
		"tar of a layout":            layoutOf(t, gzipped, lower, upper).archive(t, plainly),
		"gzip tar of a layout":       layoutOf(t, plainly, lower, upper).archive(t, gzipped),
		"zstd tar of a layout":       layoutOf(t, zstded, lower, upper).archive(t, zstded),
		"docker save":                docker().archive(t, plainly),
		"docker save, gzip":          docker().archive(t, gzipped),
		"docker save, in a folder":   docker().folder(t),
		"docker save that is a tree": merged(docker(), layoutOf(t, plainly, lower, upper)).archive(t, plainly),
	} {
		t.Run(name, func(t *testing.T) {
			h := newHome(t)
			answer := h.mustTake(source)
			if answer.Digest != want || len(answer.Layers) != 2 {
				t.Fatalf("answered %+v", answer)
			}
			if answer.Layers[1].DiffID != digestOf(upper) || answer.Layers[1].Bytes != 3 {
				t.Errorf("the upper layer is %+v", answer.Layers[1])
			}
			if data, err := os.ReadFile(h.root(answer, 1) + "/etc/new"); err != nil || string(data) != "new" {
				t.Errorf("read %q, %v", data, err)
			}
			if strings.HasPrefix(name, "docker") && !slices.Equal(answer.Names, []string{"app:1"}) {
				t.Errorf("its names are %v", answer.Names)
			}
		})
	}
}

func merged(all ...made) made {
	one := made{}
	for _, each := range all {
		for name, data := range each {
			one[name] = data
		}
	}
	return one
}

func TestWhatALayerTakesAwayIsMarkedForTheOverlay(t *testing.T) {
	h := newHome(t)
	upper := layerOf(t,
		file("etc/.wh.gone", ""),
		dir("etc/old"), file("etc/old/.wh..wh..opq", ""), file("etc/old/b", "b"),
		file(".wh.var", ""), file("var/again", "again"),
		file(".wh..wh.plnk", ""))
	answer := h.mustTake(layoutOf(t, plainly, base(t), upper).folder(t))
	root := h.root(answer, 1)
	var stat unix.Stat_t
	if err := unix.Lstat(root+"/etc/gone", &stat); err != nil || stat.Mode&unix.S_IFMT != unix.S_IFCHR || stat.Rdev != 0 {
		t.Errorf("gone is %o, %d, %v", stat.Mode, stat.Rdev, err)
	}
	for _, folder := range []string{"/etc/old", "/var"} {
		mark := make([]byte, 8)
		if n, err := unix.Getxattr(root+folder, "trusted.overlay.opaque", mark); err != nil || string(mark[:n]) != "y" {
			t.Errorf("%s has the mark %q, %v", folder, mark[:max(n, 0)], err)
		}
	}
	if _, err := os.Lstat(root + "/.wh..wh.plnk"); err == nil {
		t.Error("a store's bookkeeping was unpacked")
	}
	shown := overlaid(t, h, answer)
	for name, there := range map[string]bool{
		"bin/sh": true, "etc/gone": false, "etc/old/a": false, "etc/old/b": true, "var/again": true,
	} {
		if _, err := os.Lstat(filepath.Join(shown, name)); (err == nil) != there {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// overlaid mounts an image read-only for the time of the test.
func overlaid(t *testing.T, h home, answer launch.Imported) string {
	t.Helper()
	var lowers []string
	for i := range answer.Layers {
		lowers = append([]string{h.root(answer, i)}, lowers...)
	}
	at := t.TempDir()
	if err := unix.Mount("overlay", at, "overlay", unix.MS_RDONLY, "lowerdir="+strings.Join(lowers, ":")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Unmount(at, unix.MNT_DETACH) })
	return at
}

func TestAFolderThatALayerDoesNotNameStaysAsItIsBeneath(t *testing.T) {
	h := newHome(t)
	secret := dir("srv")
	secret.Mode, secret.Uid, secret.Gid = 0o1770, 33, 44
	answer := h.mustTake(layoutOf(t, plainly, layerOf(t, dir("bin"), secret), layerOf(t, file("srv/deep/file", "x"))).folder(t))
	var stat unix.Stat_t
	if err := unix.Lstat(h.root(answer, 1)+"/srv", &stat); err != nil {
		t.Fatal(err)
	}
	if stat.Mode&0o7777 != 0o1770 || stat.Uid != 33 || stat.Gid != 44 {
		t.Errorf("it is %o of %d:%d", stat.Mode&0o7777, stat.Uid, stat.Gid)
	}
}

func TestOwnersSetUidLinksAndAttributesAreKeptAndDevicesLeftOut(t *testing.T) {
	h := newHome(t)
	tool := file("usr/bin/tool", "x")
	tool.Mode, tool.Uid, tool.Gid = 0o4755, 7, 8
	tool.PAXRecords = map[string]string{"SCHILY.xattr.user.note": "kept", "SCHILY.xattr.user.overlay.opaque": "y"}
	hard := entry{Header: tar.Header{Typeflag: tar.TypeLink, Name: "usr/bin/same", Linkname: "usr/bin/tool"}}
	device := entry{Header: tar.Header{Typeflag: tar.TypeBlock, Name: "opt/sda", Mode: 0o666, Devmajor: 8}}
	answer := h.mustTake(layoutOf(t, gzipped, layerOf(t, dir("usr/bin"), tool, hard, link("lib", "usr/lib"), device)).folder(t))
	root := h.root(answer, 0)
	var one, two unix.Stat_t
	if err := errors.Join(unix.Lstat(root+"/usr/bin/tool", &one), unix.Lstat(root+"/usr/bin/same", &two)); err != nil {
		t.Fatal(err)
	}
	if one.Ino != two.Ino || one.Uid != 7 || one.Gid != 8 || one.Mode&0o7777 != 0o4755 {
		t.Errorf("the file is %+v", one)
	}
	value := make([]byte, 16)
	if n, err := unix.Getxattr(root+"/usr/bin/tool", "user.note", value); err != nil || string(value[:n]) != "kept" {
		t.Errorf("the attribute is %q, %v", value[:max(n, 0)], err)
	}
	if _, err := unix.Getxattr(root+"/usr/bin/tool", "user.overlay.opaque", value); !errors.Is(err, unix.ENODATA) {
		t.Errorf("an overlay's attribute: %v", err)
	}
	if to, err := os.Readlink(root + "/lib"); err != nil || to != "usr/lib" {
		t.Errorf("the link leads to %q, %v", to, err)
	}
	if _, err := os.Lstat(root + "/opt/sda"); err == nil || answer.Layers[0].SkippedDevices != 1 {
		t.Errorf("the device: %v, %+v", err, answer.Layers[0])
	}
}

func TestImagesShareTheLayersThatTheyHaveInCommon(t *testing.T) {
	h := newHome(t)
	first := h.mustTake(layoutOf(t, gzipped, base(t), layerOf(t, file("one", "1"))).folder(t))
	second := h.mustTake(layoutOf(t, zstded, base(t), layerOf(t, file("two", "2"))).folder(t))
	if first.Layers[0].Chain != second.Layers[0].Chain || !second.Layers[0].Reused || second.Layers[1].Reused {
		t.Errorf("answered %+v and %+v", first.Layers, second.Layers)
	}
	// The same layer upon another one is not the same folder: what it does not name
	// comes from beneath.
	third := h.mustTake(layoutOf(t, plainly, layerOf(t, dir("bin")), layerOf(t, file("one", "1"))).folder(t))
	if third.Layers[1].Chain == first.Layers[1].Chain || third.Layers[1].DiffID != first.Layers[1].DiffID {
		t.Errorf("answered %+v", third.Layers)
	}
}

func TestTwoImportsOfOneImageAtOnceAreOneImage(t *testing.T) {
	h := newHome(t)
	source := layoutOf(t, gzipped, base(t), layerOf(t, file("a", "a")), layerOf(t, file("b", "b"))).folder(t)
	var group sync.WaitGroup
	for range 8 {
		request := h.request(source)
		group.Go(func() {
			if answer, err := Import(request, false, new(strings.Builder)); err != nil || len(answer.Layers) != 3 {
				t.Errorf("answered %+v, %v", answer, err)
			}
		})
	}
	group.Wait()
	if layers, err := os.ReadDir(filepath.Join(h.folder, "layers")); err != nil || len(layers) != 3 {
		t.Errorf("there are %v, %v", layers, err)
	}
}

func TestAnImportThatWasKilledGoesOnWhereItWas(t *testing.T) {
	h := newHome(t)
	lower, upper := base(t), layerOf(t, file("a", "a"))
	damaged := layoutOf(t, plainly, lower, upper)
	damaged[blobName(digestOf(upper))] = damaged[blobName(digestOf(upper))][:512]
	if _, err := h.take(damaged.folder(t)); err == nil {
		t.Fatal("a cut layer was taken")
	}
	answer := h.mustTake(layoutOf(t, plainly, lower, upper).folder(t))
	if !answer.Layers[0].Reused || answer.Layers[1].Reused {
		t.Errorf("answered %+v", answer.Layers)
	}
}

func TestARootFileSystemBecomesAnImageWithItsSettings(t *testing.T) {
	for name, pack := range map[string]func([]byte) []byte{"plain": plainly, "gzip": gzipped, "zstd": zstded} {
		t.Run(name, func(t *testing.T) {
			h := newHome(t)
			request := h.request(written(t, pack(base(t))))
			request.Config = launch.RawObject(`{"User":"7","Env":["A=b"]}`)
			answer, err := Import(request, false, new(strings.Builder))
			if err != nil || answer.Kind != "root" || len(answer.Layers) != 1 {
				t.Fatalf("answered %+v, %v", answer, err)
			}
			if !strings.Contains(string(answer.Config), `"User":"7"`) || answer.Digest != digestOf(answer.Config) {
				t.Errorf("its configuration is %s", answer.Config)
			}
			// Compressed otherwise it is the same image.
			again := h.request(written(t, base(t)))
			again.Config = launch.RawObject(`{"Env":["A=b"], "User":"7"}`)
			if same, err := Import(again, false, new(strings.Builder)); err != nil || same.Digest != answer.Digest || !same.Layers[0].Reused {
				t.Errorf("answered %+v, %v", same, err)
			}
		})
	}
}

func TestTheImageOfThisMachineIsTakenFromAnIndexOfMany(t *testing.T) {
	h := newHome(t)
	m := made{}
	foreign := m.manifestOf(t, "sparc", plainly, layerOf(t, dir("bin"), file("sparc", "x")))
	foreign.Platform = &platform{Architecture: "sparc", OS: "linux"}
	own := m.manifestOf(t, runtime.GOARCH, gzipped, base(t))
	own.Platform = &machine
	note := m.blob("application/vnd.oci.image.manifest.v1+json", []byte(`{}`))
	note.Platform, note.Annotations = &platform{"unknown", "unknown", ""}, map[string]string{"vnd.docker.reference.type": "attestation-manifest"}
	inner := m.blob("application/vnd.oci.image.index.v1+json", text(t, map[string]any{"manifests": []descriptor{foreign, own, note}}))
	inner.Annotations = map[string]string{"org.opencontainers.image.ref.name": "latest", "io.containerd.image.name": "docker.io/library/app:latest"}
	answer := h.mustTake(m.index(t, inner).folder(t))
	if answer.Manifest != own.Digest || !slices.Equal(answer.Names, []string{"docker.io/library/app:latest"}) {
		t.Errorf("answered %+v", answer)
	}

	only := made{}
	lone := only.manifestOf(t, "sparc", plainly, base(t))
	newHome(t).refused(only.index(t, lone).folder(t), launch.InvalidArgument, "linux/sparc")
	lone.Platform = &platform{Architecture: "sparc", OS: "linux"}
	newHome(t).refused(only.index(t, lone).folder(t), launch.InvalidArgument, "linux/sparc")
}

func TestOneOfSeveralImagesIsSelected(t *testing.T) {
	h := newHome(t)
	m := made{}
	one, two := m.manifestOf(t, runtime.GOARCH, plainly, base(t)), m.manifestOf(t, runtime.GOARCH, plainly, layerOf(t, dir("bin")))
	one.Annotations = map[string]string{"org.opencontainers.image.ref.name": "one"}
	two.Annotations = map[string]string{"org.opencontainers.image.ref.name": "two"}
	source := m.index(t, one, two).folder(t)
	h.refused(source, launch.InvalidArgument, "one, two")
	request := h.request(source)
	request.Select = "two"
	if answer, err := Import(request, false, new(strings.Builder)); err != nil || answer.Manifest != two.Digest {
		t.Errorf("answered %+v, %v", answer, err)
	}
	request = h.request(source)
	request.Select = "three"
	_, err := Import(request, false, new(strings.Builder))
	h.isRefusal(err, launch.NotFound, "three")
}

func TestAnImageOfOldEnginesWhoseLayersAreLinksIsTaken(t *testing.T) {
	h := newHome(t)
	lower := base(t)
	config := configOf(t, runtime.GOARCH, lower, lower)
	name := strings.TrimPrefix(digestOf(config), "sha256:") + ".json"
	archive := layerOf(t,
		file(name, string(config)),
		file("one/layer.tar", string(lower)),
		link("two/layer.tar", "../one/layer.tar"),
		file("manifest.json", string(text(t, []savedImage{{Config: name, Layers: []string{"one/layer.tar", "two/layer.tar"}}}))))
	if answer := h.mustTake(written(t, archive)); len(answer.Layers) != 2 {
		t.Errorf("answered %+v", answer)
	}
}

func TestProgressTellsHowFarItIs(t *testing.T) {
	h := newHome(t)
	var told strings.Builder
	if _, err := Import(h.request(layoutOf(t, gzipped, base(t)).folder(t)), false, &told); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(told.String(), `"doing":"unpacking"`) {
		t.Errorf("told %q", told.String())
	}
}
