package text

import (
	"bytes"
	"compress/zlib"
	"strconv"
)

// digits of git's base 85.
const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"

// perLine is how many bytes a line of a binary patch holds.
const perLine = 52

// Literal writes whole content as one half of a binary patch of git's.
func Literal(to *bytes.Buffer, content []byte) {
	to.WriteString("literal ")
	to.WriteString(strconv.Itoa(len(content)))
	to.WriteByte('\n')
	var packed bytes.Buffer
	writer := zlib.NewWriter(&packed)
	_, _ = writer.Write(content) // to memory: never fails
	_ = writer.Close()
	for rest := packed.Bytes(); len(rest) > 0; {
		size := min(perLine, len(rest))
		if size <= 26 {
			to.WriteByte(byte('A' + size - 1))
		} else {
			to.WriteByte(byte('a' + size - 27))
		}
		encode(to, rest[:size])
		to.WriteByte('\n')
		rest = rest[size:]
	}
	to.WriteByte('\n')
}

// encode turns each four bytes into five digits, the last group filled up with
// zeros.
func encode(to *bytes.Buffer, content []byte) {
	for len(content) > 0 {
		var group uint32
		for i := range 4 {
			group <<= 8
			if i < len(content) {
				group |= uint32(content[i])
			}
		}
		var five [5]byte
		for i := 4; i >= 0; i-- {
			five[i] = digits[group%85]
			group /= 85
		}
		to.Write(five[:])
		content = content[min(4, len(content)):]
	}
}
