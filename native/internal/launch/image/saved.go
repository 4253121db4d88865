package image

import (
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"

	"cortex.dev/native/internal/launch"
)

// saved is an archive as docker save made it before it became an OCI layout, and as
// podman, kaniko, bazel and others still do
// (https://github.com/moby/docker-image-spec/blob/main/v1.2.md#combined-image-json--filesystem-changeset-format).
type saved struct{ source }

type savedImage struct {
	Config   string
	RepoTags []string
	Layers   []string
}

// named is a configuration's file whose name is its digest.
var named = regexp.MustCompile(`^(?:blobs/sha256/)?([0-9a-f]{64})(?:\.json)?$`)

func (s saved) list() ([]savedImage, error) {
	data, err := small(s, "manifest.json", maxManifest)
	if err != nil {
		return nil, err
	}
	var images []savedImage
	if err := json.Unmarshal(data, &images); err != nil {
		return nil, launch.Fail(launch.InvalidArgument, err, "manifest.json cannot be read")
	}
	return images, nil
}

func (s saved) find(selected string) (found, error) {
	images, err := s.list()
	if err != nil {
		return found{}, err
	}
	chosen := images
	if selected != "" {
		chosen = slices.DeleteFunc(slices.Clone(images), func(i savedImage) bool {
			return !slices.Contains(i.RepoTags, selected) && !slices.Contains(i.RepoTags, selected+":latest")
		})
	}
	if len(chosen) != 1 {
		var names []string
		for _, image := range images[:min(len(images), 20)] {
			names = append(names, short(append(slices.Clone(image.RepoTags), image.Config)[0]))
		}
		return found{}, severalImages(names, selected)
	}
	return s.image(chosen[0])
}

func (s saved) image(image savedImage) (found, error) {
	config, err := small(s, image.Config, maxConfig)
	if err != nil {
		return found{}, err
	}
	if match := named.FindStringSubmatch(path.Clean(image.Config)); match != nil && digestOf(config) != "sha256:"+match[1] {
		return found{}, launch.Fail(launch.InvalidArgument, nil, "the configuration is not what its name %s says", short(image.Config)).
			WithRemedy("the archive was changed or damaged: save it again")
	}
	diffs, err := diffIDs(config)
	if err != nil {
		return found{}, err
	}
	if err := countLayers(len(image.Layers), len(diffs)); err != nil {
		return found{}, err
	}
	names := image.RepoTags
	if names == nil {
		names = []string{}
	}
	answer := found{kind: "docker", names: names, config: config}
	for i, name := range image.Layers {
		answer.layers = append(answer.layers, layer{
			what: fmt.Sprintf("layer %d of %d", i+1, len(diffs)), name: name, size: unknownSize, diff: diffs[i],
		})
	}
	return answer, nil
}
