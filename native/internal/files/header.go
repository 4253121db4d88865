package files

import (
	"strconv"
)

// The tar format: 512-byte blocks, a header and then the content of each entry, two blocks of
// zeros at the end (POSIX.1-2017, pax, "ustar Interchange Format" and "pax Interchange Format").
const (
	blockSize    = 512
	nameField    = 100
	octalMost    = 1<<33 - 1 // 11 octal digits
	octalIDMost  = 1<<21 - 1 // 7 octal digits
	typeRegular  = '0'
	typeHardlink = '1'
	typeSymlink  = '2'
	typeFolder   = '5'
	typeExtended = 'x'
)

// header is one entry's description.
type header struct {
	name       string
	kind       byte
	mode       uint32
	uid, gid   uint32
	size       int64 // of the content that follows in the archive
	modifiedNs int64
	link       string
	// Of a sparse file: its true name and size; the content then begins with a map of its regions
	// (GNU sparse format, version PAX 1.0).
	sparse   bool
	realSize int64
}

// The name that the extended header itself carries in front of the one that it describes.
const extendedName = "PaxHeaders.0/entry"

// The name that a reader shows which does not know sparse files.
const sparsePlaceholder = "GNUSparseFile.0/entry"

// appendTo adds the header's blocks, an extended header before them where the classic fields
// cannot hold a value. Names are written byte for byte in either.
func (h *header) appendTo(out []byte) []byte {
	var records []byte
	if h.sparse {
		records = appendRecord(records, "GNU.sparse.major", "1")
		records = appendRecord(records, "GNU.sparse.minor", "0")
		records = appendRecord(records, "GNU.sparse.name", h.name)
		records = appendRecord(records, "GNU.sparse.realsize", strconv.FormatInt(h.realSize, 10))
	} else if len(h.name) > nameField {
		records = appendRecord(records, "path", h.name)
	}
	if len(h.link) > nameField {
		records = appendRecord(records, "linkpath", h.link)
	}
	if h.size > octalMost {
		records = appendRecord(records, "size", strconv.FormatInt(h.size, 10))
	}
	if h.uid > octalIDMost {
		records = appendRecord(records, "uid", strconv.FormatUint(uint64(h.uid), 10))
	}
	if h.gid > octalIDMost {
		records = appendRecord(records, "gid", strconv.FormatUint(uint64(h.gid), 10))
	}
	if ns := h.modifiedNs; ns < 0 || ns%1e9 != 0 || ns/1e9 > octalMost {
		records = appendRecord(records, "mtime", decimalTime(ns))
	}
	if len(records) > 0 {
		extended := header{name: extendedName, kind: typeExtended, mode: 0o644, size: int64(len(records))}
		out = extended.appendBlock(out)
		out = append(out, records...)
		out = appendPadding(out, len(records))
	}
	return h.appendBlock(out)
}

// appendBlock adds the classic block; a value that does not fit its field is left zero, its
// extended record counts.
func (h *header) appendBlock(out []byte) []byte {
	start := len(out)
	out = append(out, zeros[:blockSize]...)
	block := out[start:]
	name := h.name
	if h.sparse {
		name = sparsePlaceholder
	}
	copy(block[0:nameField], name)
	octal(block[100:107], uint64(h.mode), 1<<21-1)
	octal(block[108:115], uint64(h.uid), octalIDMost)
	octal(block[116:123], uint64(h.gid), octalIDMost)
	octal(block[124:135], uint64(h.size), octalMost)
	octal(block[136:147], uint64(max(h.modifiedNs, 0)/1e9), octalMost)
	block[156] = h.kind
	copy(block[157:257], h.link)
	copy(block[257:265], "ustar\x0000")
	octal(block[329:336], 0, 0)
	octal(block[337:344], 0, 0)
	// The checksum counts its own field as blanks.
	sum := uint64(8 * ' ')
	for _, b := range block {
		sum += uint64(b)
	}
	octal(block[148:154], sum, 1<<18-1)
	block[155] = ' '
	return out
}

var zeros [blockSize]byte

func isZero(block []byte) bool { return string(block) == string(zeros[:]) }

func octal(field []byte, value, most uint64) {
	if value > most {
		value = 0
	}
	for i := len(field) - 1; i >= 0; i-- {
		field[i] = '0' + byte(value&7)
		value >>= 3
	}
}

// appendPadding fills up to a whole block what is `length` bytes long.
func appendPadding(out []byte, length int) []byte {
	return append(out, zeros[:padding(int64(length))]...)
}

func padding(length int64) int { return int(-length & (blockSize - 1)) }

// appendRecord adds "length key=value\n", where length counts itself.
func appendRecord(out []byte, key, value string) []byte {
	rest := len(key) + len(value) + 3 // blank, =, newline
	length := rest + len(strconv.Itoa(rest))
	length = rest + len(strconv.Itoa(length))
	out = strconv.AppendInt(out, int64(length), 10)
	out = append(out, ' ')
	out = append(out, key...)
	out = append(out, '=')
	out = append(out, value...)
	return append(out, '\n')
}

func decimalTime(ns int64) string {
	sign := ""
	if ns < 0 {
		sign = "-"
	}
	magnitude := uint64(ns)
	if ns < 0 {
		magnitude = -magnitude
	}
	whole, part := magnitude/1e9, magnitude%1e9
	text := sign + strconv.FormatUint(whole, 10)
	if part == 0 {
		return text
	}
	digits := strconv.FormatUint(part+1e9, 10)[1:]
	for digits[len(digits)-1] == '0' {
		digits = digits[:len(digits)-1]
	}
	return text + "." + digits
}
