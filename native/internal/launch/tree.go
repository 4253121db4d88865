package launch

// Wiped is the answer of wipe.
type Wiped struct {
	Version int   `json:"version"`
	Entries int64 `json:"entries"`
	// Remaining as in Stopped.
	Remaining []Remainder `json:"remaining"`
}

// Used is the answer of usage. Bytes are those that are allocated on the disk; a
// file with several names counts once.
type Used struct {
	Version int   `json:"version"`
	Bytes   int64 `json:"bytes"`
	Entries int64 `json:"entries"`
}

// Extracted is the answer of extract.
type Extracted struct {
	Version int   `json:"version"`
	Entries int64 `json:"entries"`
	Bytes   int64 `json:"bytes"`
	// SkippedDevices counts device nodes of the kind that every image may have
	// below /dev, and that the runtime makes itself.
	SkippedDevices int64 `json:"skipped_devices"`
	// Sha256 of the tar file as it was read, lower-case hex.
	Sha256 string `json:"sha256"`
}
