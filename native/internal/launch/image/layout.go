package image

import (
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"cortex.dev/native/internal/launch"
)

const (
	// Registries refuse larger manifests.
	maxManifest = 4 << 20
	maxConfig   = 8 << 20
	// maxLayers keeps an overlay of an image and of what is laid above it below the
	// kernel's 500, and its options below a page.
	maxLayers = 400
	// maxIndexes within each other; builders make two.
	maxIndexes = 4
	// maxImages that a source is asked about.
	maxImages = 1000
)

// descriptor of a blob (https://github.com/opencontainers/image-spec/blob/main/descriptor.md).
type descriptor struct {
	MediaType   string            `json:"mediaType"`
	Digest      string            `json:"digest"`
	Size        int64             `json:"size"`
	Platform    *platform         `json:"platform"`
	Annotations map[string]string `json:"annotations"`
}

type platform struct {
	Architecture string `json:"architecture"`
	OS           string `json:"os"`
	Variant      string `json:"variant"`
}

func (p platform) String() string {
	if p.Variant != "" {
		return p.OS + "/" + p.Architecture + "/" + p.Variant
	}
	return p.OS + "/" + p.Architecture
}

// here is what this machine runs.
func (p platform) here() bool { return p.OS == "linux" && p.Architecture == runtime.GOARCH }

var machine = platform{Architecture: runtime.GOARCH, OS: "linux"}

// document is an index or a manifest. One that is both is refused: readers would
// not agree on what it is (CVE-2021-41190).
type document struct {
	MediaType string       `json:"mediaType"`
	Manifests []descriptor `json:"manifests"`
	Config    *descriptor  `json:"config"`
	Layers    []descriptor `json:"layers"`
}

// layout is an OCI image layout.
type layout struct{ source }

// blobName is where a layout keeps a blob.
func blobName(digest string) string { return "blobs/" + strings.Replace(digest, ":", "/", 1) }

func (l layout) blob(d descriptor, what string, most int64) ([]byte, error) {
	if err := checkDigest(what, d.Digest); err != nil {
		return nil, err
	}
	data, err := small(l, blobName(d.Digest), most)
	if err != nil {
		return nil, err
	}
	if int64(len(data)) != d.Size || digestOf(data) != d.Digest {
		return nil, launch.Fail(launch.InvalidArgument, nil, "%s is not what its digest %s and its size %d say", what, d.Digest, d.Size).
			WithRemedy("the image was changed or damaged: copy it again")
	}
	return data, nil
}

func (l layout) parse(data []byte, what string) (document, error) {
	var d document
	if err := json.Unmarshal(data, &d); err != nil {
		return d, launch.Fail(launch.InvalidArgument, err, "%s cannot be read", what)
	}
	if d.Manifests != nil && (d.Layers != nil || d.Config != nil) {
		return d, launch.Fail(launch.InvalidArgument, nil, "%s is an index and a manifest at once", what)
	}
	return d, nil
}

// find is the one image that is meant.
func (l layout) find(selected string) (found, error) {
	data, err := small(l, "index.json", maxManifest)
	if err != nil {
		return found{}, err
	}
	index, err := l.parse(data, "index.json")
	if err != nil {
		return found{}, err
	}
	candidates, err := choose(index.Manifests, selected)
	if err != nil {
		return found{}, err
	}
	names := namesOf(candidates)
	manifest, digest, err := l.manifest(candidates[0], 0)
	if err != nil {
		return found{}, err
	}
	return l.image(manifest, digest, names)
}

// namesOf descriptors of one image.
func namesOf(same []descriptor) []string {
	names := []string{}
	for _, d := range same {
		if name := nameOf(d); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// nameOf prefers a whole name to a reference that may be a tag alone.
func nameOf(d descriptor) string {
	for _, key := range []string{"io.containerd.image.name", "org.opencontainers.image.ref.name"} {
		if name := d.Annotations[key]; name != "" {
			return name
		}
	}
	return ""
}

// choose leaves the descriptors of one digest: what was selected, and of that what
// this machine runs.
func choose(all []descriptor, selected string) ([]descriptor, error) {
	var left, foreign []descriptor
	for _, d := range all {
		switch {
		case d.Annotations["vnd.docker.reference.type"] != "", d.Platform != nil && d.Platform.OS == "unknown":
			// A builder's notes about an image, which is no image.
		case selected != "" && selected != d.Digest && selected != nameOf(d) && !strings.HasSuffix(nameOf(d), "/"+selected):
		case d.Platform != nil && !d.Platform.here():
			foreign = append(foreign, d)
		default:
			left = append(left, d)
		}
	}
	if len(left) == 0 && len(foreign) > 0 {
		return nil, otherPlatform(foreign)
	}
	if len(left) == 0 || len(left) > maxImages {
		return nil, notOne(all, selected)
	}
	for _, d := range left {
		if d.Digest != left[0].Digest {
			return nil, notOne(left, selected)
		}
	}
	return left, nil
}

func otherPlatform(foreign []descriptor) error {
	var has []string
	for _, d := range foreign {
		has = append(has, short(d.Platform.String()))
	}
	return wrongPlatform(strings.Join(has[:min(len(has), 10)], ", "))
}

func wrongPlatform(has string) error {
	return launch.Fail(launch.InvalidArgument, nil, "the image is for %s, this machine is %s", has, machine).
		WithRemedy("copy the image for this machine: skopeo --override-arch " + machine.Architecture + " copy …")
}

func notOne(all []descriptor, selected string) error {
	var names []string
	for _, d := range all[:min(len(all), 20)] {
		name := nameOf(d)
		if name == "" {
			name = d.Digest
		}
		names = append(names, short(name))
	}
	return severalImages(names, selected)
}

func severalImages(names []string, selected string) error {
	if len(names) == 0 {
		return launch.Fail(launch.InvalidArgument, nil, "the source has no image")
	}
	list := strings.Join(names, ", ")
	if selected != "" {
		return launch.Fail(launch.NotFound, nil, "the source has no image %q; it has %s", short(selected), list)
	}
	return launch.Fail(launch.InvalidArgument, nil, "the source has several images: %s", list).
		WithRemedy("choose one: --select " + names[0])
}

// manifest follows indexes to the image's manifest.
func (l layout) manifest(d descriptor, depth int) (document, string, error) {
	if depth > maxIndexes {
		return document{}, "", launch.Fail(launch.InvalidArgument, nil, "the image has more than %d indexes within each other", maxIndexes)
	}
	data, err := l.blob(d, "the manifest", maxManifest)
	if err != nil {
		return document{}, "", err
	}
	parsed, err := l.parse(data, "the manifest")
	if err != nil {
		return document{}, "", err
	}
	if parsed.Manifests == nil {
		return parsed, d.Digest, nil
	}
	inner, err := choose(parsed.Manifests, "")
	if err != nil {
		return document{}, "", err
	}
	return l.manifest(inner[0], depth+1)
}

func (l layout) image(manifest document, digest string, names []string) (found, error) {
	if manifest.Config == nil {
		return found{}, launch.Fail(launch.InvalidArgument, nil, "the manifest %s names no configuration", digest)
	}
	data, err := l.blob(*manifest.Config, "the configuration", maxConfig)
	if err != nil {
		return found{}, err
	}
	image := found{kind: "oci", manifest: digest, names: names, config: data}
	diffs, err := diffIDs(data)
	if err != nil {
		return found{}, err
	}
	if err := countLayers(len(manifest.Layers), len(diffs)); err != nil {
		return found{}, err
	}
	for i, d := range manifest.Layers {
		what := fmt.Sprintf("layer %d of %d", i+1, len(manifest.Layers))
		if err := checkDigest(what, d.Digest); err != nil {
			return found{}, err
		}
		if strings.Contains(d.MediaType, "encrypted") {
			return found{}, launch.Fail(launch.Unsupported, nil, "%s is encrypted", what).
				WithRemedy("decrypt it while copying: skopeo copy --decryption-key …")
		}
		if d.Size < 0 {
			return found{}, launch.Fail(launch.InvalidArgument, nil, "%s has a size of %d bytes", what, d.Size)
		}
		image.layers = append(image.layers, layer{what: what, name: blobName(d.Digest), digest: d.Digest, size: d.Size, diff: diffs[i]})
	}
	return image, nil
}

func countLayers(layers, diffs int) error {
	if layers != diffs {
		return launch.Fail(launch.InvalidArgument, nil, "the manifest has %d layers, its configuration %d", layers, diffs)
	}
	if layers > maxLayers {
		return launch.Fail(launch.InvalidArgument, nil, "the image has %d layers, at most %d are taken", layers, maxLayers).
			WithRemedy("build it with fewer: docker build --squash, or docker export of a container")
	}
	if layers == 0 {
		return launch.Fail(launch.InvalidArgument, nil, "the image has no layers")
	}
	return nil
}

// diffIDs of a configuration whose platform is this machine's.
func diffIDs(config []byte) ([]string, error) {
	var parsed struct {
		platform
		RootFS struct {
			Type    string   `json:"type"`
			DiffIDs []string `json:"diff_ids"`
		} `json:"rootfs"`
	}
	if err := json.Unmarshal(config, &parsed); err != nil {
		return nil, launch.Fail(launch.InvalidArgument, err, "the configuration cannot be read")
	}
	if parsed.RootFS.Type != "layers" {
		return nil, launch.Fail(launch.InvalidArgument, nil, "this is an artefact without a root file system, no image of one")
	}
	if !parsed.here() {
		return nil, wrongPlatform(short(parsed.String()))
	}
	for i, diff := range parsed.RootFS.DiffIDs {
		if err := checkDigest(fmt.Sprintf("layer %d of the configuration", i+1), diff); err != nil {
			return nil, err
		}
	}
	return parsed.RootFS.DiffIDs, nil
}
