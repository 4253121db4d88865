// Package compressed reads archives that may be compressed. By their first bytes:
// what an archive says of its compression need not be so.
package compressed

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"

	"cortex.dev/native/internal/launch"
	"github.com/klauspost/compress/zstd"
)

// window is the largest that zstd itself makes without being asked for more
// (--ultra -22); a decoder takes that much memory.
const window = 128 << 20

// Reader is the plain content of what from holds: gzip, zstd, or as it is. The
// caller closes it, which leaves from open. Failures are INVALID_ARGUMENT, or
// UNSUPPORTED for another compression.
func Reader(from io.Reader) (io.ReadCloser, error) {
	buffered := bufio.NewReaderSize(from, 1<<16)
	magic, err := buffered.Peek(6)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("reading the archive: %w", err)
	}
	starts := func(with string) bool { return strings.HasPrefix(string(magic), with) }
	switch {
	case starts("\x1f\x8b"):
		unzipped, err := gzip.NewReader(buffered)
		if err != nil {
			return nil, launch.Fail(launch.InvalidArgument, err, "the archive's compression")
		}
		return unzipped, nil
	case starts("\x28\xb5\x2f\xfd"):
		decoder, err := zstd.NewReader(buffered, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(window))
		if err != nil {
			return nil, launch.Fail(launch.InvalidArgument, err, "the archive's compression")
		}
		return decoder.IOReadCloser(), nil
	case starts("\xfd7zXZ"), starts("BZh"):
		return nil, launch.Fail(launch.Unsupported, nil, "the archive is compressed by xz or bzip2").
			WithRemedy("unpack that first: xz -d or bzip2 -d; plain, gzip and zstd are taken")
	default:
		return io.NopCloser(buffered), nil
	}
}

// Plain says whether an archive that begins with these bytes is not compressed.
func Plain(magic []byte) bool {
	for _, with := range []string{"\x1f\x8b", "\x28\xb5\x2f\xfd", "\xfd7zXZ", "BZh"} {
		if strings.HasPrefix(string(magic), with) {
			return false
		}
	}
	return true
}
