// Package untar unpacks the tar archive of a root file system, which a stranger
// may have made, so that nothing outside the target is touched. Every path is
// opened beneath the target by the kernel (openat2 with RESOLVE_BENEATH); an entry
// that would lead out ends the work with its name.
package untar

import (
	"archive/tar"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"

	"cortex.dev/native/internal/launch"
	"cortex.dev/native/internal/launch/compressed"
	"golang.org/x/sys/unix"
)

// Limits bound what an archive may unpack to.
type Limits struct {
	// Bytes of all files, holes included.
	Bytes int64
	// Entries of the archive.
	Entries int64
}

// Generous is above every image that is known, and below what fills a host in
// one go.
var Generous = Limits{Bytes: 256 << 30, Entries: 5_000_000}

// Unpack unpacks a plain, gzip or zstd archive into an empty folder, with the owners,
// modes and times that it names. Failures are INVALID_ARGUMENT with the entry's
// name, DISK_FULL, or UNSUPPORTED for another compression. What was unpacked until
// then stays.
func Unpack(archive io.Reader, target string, limits Limits) (launch.Extracted, error) {
	root, err := openTarget(target)
	if err != nil {
		return launch.Extracted{}, err
	}
	defer unix.Close(root)
	digest := sha256.New()
	raw := io.TeeReader(archive, digest)
	plain, err := compressed.Reader(raw)
	if err != nil {
		return launch.Extracted{}, err
	}
	defer plain.Close()
	u := &unpacker{root: root, limits: limits, parent: -1, room: NewRoom(root)}
	err = u.all(tar.NewReader(plain))
	u.close()
	if err != nil {
		return launch.Extracted{}, err
	}
	// To the end of the file: what follows the archive counts for its digest.
	if _, err := io.Copy(io.Discard, raw); err != nil {
		return launch.Extracted{}, fmt.Errorf("reading the archive to its end: %w", err)
	}
	u.answer.Version, u.answer.Sha256 = launch.Version, hex.EncodeToString(digest.Sum(nil))
	return u.answer, nil
}

func openTarget(target string) (int, error) {
	root, err := unix.Open(target, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0, launch.Fail(launch.NotFound, &os.PathError{Op: "open", Path: target, Err: err}, "the target folder")
	}
	entries, err := os.ReadDir(target)
	if err == nil && len(entries) > 0 {
		err = launch.Fail(launch.AlreadyExists, nil, "the target folder %s is not empty", target)
	}
	if err == nil {
		err = closedToOthers(target)
	}
	if err != nil {
		_ = unix.Close(root)
		return 0, err
	}
	return root, nil
}

func (u *unpacker) all(archive *tar.Reader) error {
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			if u.answer.Entries == 0 && u.layer == nil {
				return launch.Fail(launch.InvalidArgument, nil, "the archive has no entries")
			}
			return u.finishFolders()
		}
		if err != nil {
			return launch.Fail(launch.InvalidArgument, err, "the archive cannot be read after %d entries", u.answer.Entries)
		}
		if err := u.entry(header, archive); err != nil {
			return err
		}
	}
}
