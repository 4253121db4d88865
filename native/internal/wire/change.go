package wire

import "encoding/binary"

// pathMost leaves room for both paths of a record in one frame; Linux takes 4,096 bytes at once.
const pathMost = 32_000

// changeFolder marks a change of a folder.
const changeFolder = 1

// Change is one record of a watch: kind 1, flags 1 (1: a folder), path length 2, path, from length 2,
// from. Records follow each other in the bytes of Data frames, none of them over two frames.
type Change struct {
	Kind   uint8
	Folder bool
	Path   string
	From   string
}

// Append encodes the record.
func (c Change) Append(b []byte) []byte {
	flags := byte(0)
	if c.Folder {
		flags = changeFolder
	}
	b = append(b, c.Kind, flags)
	for _, path := range [...]string{c.Path, c.From} {
		path = path[:min(len(path), pathMost)]
		b = append(binary.BigEndian.AppendUint16(b, uint16(len(path))), path...)
	}
	return b
}
