package launch

// ImportSpec says which image is taken into a home.
type ImportSpec struct {
	// Version is always 1.
	Version int `json:"version"`
	// Source is an OCI image layout (a folder, or a tar of one), an archive that
	// docker save or podman save made, or a tar of a root file system; each tar may
	// be compressed by gzip or zstd.
	Source string `json:"source"`
	// Layers is the folder of all layers of a home, each in a folder named by its
	// chain id.
	Layers string `json:"layers"`
	// Staging is an empty folder on the file system of Layers, for what is not whole
	// yet. Whoever asked for the import wipes it, also when it failed.
	Staging string `json:"staging"`
	// Select is the name or digest of one image, where the source has several.
	Select string `json:"select,omitempty"`
	// Config is what a plain root file system's image says of its processes: the
	// object "config" of an OCI image configuration. Refused for a source that has a
	// configuration of its own.
	Config RawObject `json:"config,omitempty"`
	// MaxBytes and MaxEntries bound all layers together, unpacked; 0: 256 GiB and
	// 5,000,000.
	MaxBytes   int64 `json:"max_bytes,omitempty"`
	MaxEntries int64 `json:"max_entries,omitempty"`
}

// Check is every fault of the request together, or nil.
func (s *ImportSpec) Check() error {
	faults := &faults{}
	faults.refuse(s.Version != Version, "version %d is not %d", s.Version, Version)
	faults.path("source", s.Source)
	faults.path("layers", s.Layers)
	faults.path("staging", s.Staging)
	faults.refuse(s.MaxBytes < 0 || s.MaxEntries < 0, "a limit is negative")
	return faults.asError()
}

// Imported is the answer of import.
type Imported struct {
	Version int `json:"version"`
	// Kind is "oci", "docker" or "root".
	Kind string `json:"kind"`
	// Digest is that of the configuration, "sha256:…": what docker and podman show as
	// the image's id. It names the content of every layer.
	Digest string `json:"digest"`
	// Manifest is the digest by which a registry knows the image; absent where the
	// source has no manifest.
	Manifest string `json:"manifest,omitempty"`
	// Names that the source gives it, as they are there.
	Names []string `json:"names"`
	// Config is the whole OCI image configuration.
	Config RawObject `json:"config"`
	// Layers, the lowest first.
	Layers []ImportedLayer `json:"layers"`
}

// ImportedLayer is one layer in its folder.
type ImportedLayer struct {
	// Chain is 64 hex digits that stand for this layer and all beneath it
	// (https://github.com/opencontainers/image-spec/blob/main/config.md#layer-chainid):
	// its folder's name.
	Chain string `json:"chain"`
	// DiffID is the digest of its tar, "sha256:…".
	DiffID string `json:"diff_id"`
	// Bytes and Entries are those of its files.
	Bytes   int64 `json:"bytes"`
	Entries int64 `json:"entries"`
	// SkippedDevices were left out.
	SkippedDevices int64 `json:"skipped_devices"`
	// Reused: it was there already.
	Reused bool `json:"reused,omitempty"`
}

// Progress is a line of JSON on standard error while an import goes on.
type Progress struct {
	// Done and Total are bytes of the source.
	Done  int64 `json:"done"`
	Total int64 `json:"total"`
	// Doing is a word for people: "reading", "unpacking".
	Doing string `json:"doing"`
}
