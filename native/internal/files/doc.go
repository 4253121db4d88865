// Package files is the neuron's file side: it looks at, lists, moves and removes files, and
// carries single files and whole folders (as tar) in and out, always with the file-system rights
// of a [Caller].
//
// It knows nothing of protobuf or of frames: transfers read from an [io.Reader] and write to an
// [io.Writer]. The same packing and unpacking serves the host's end of a copy, where the archive
// comes from a sandbox and is hostile: see [Unpack].
//
// Paths are Go strings holding raw bytes; nothing assumes UTF-8.
package files
