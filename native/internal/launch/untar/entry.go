package untar

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"time"

	"cortex.dev/native/internal/launch"
	"golang.org/x/sys/unix"
)

// maxID is the highest id that a sandbox has.
const maxID = 65535

type unpacker struct {
	root   int
	limits Limits
	answer launch.Extracted
	room   *Room
	// layer, when this is one of an image.
	layer *Layering
	// folders get their times when nothing is made in them any more.
	folders []folder
	// named is about what folders take of memory.
	named int64
	// parent is the open folder parentPath, since neighbours follow each other.
	parent     int
	parentPath string
}

type folder struct {
	path string
	time time.Time
}

const (
	// mostNamed bounds what is remembered of folders: an archive of some megabytes could name one folder
	// five million times, by paths of 4 KiB each. The largest images that are known have 10 MB of them.
	mostNamed = 256 << 20
	// besideName is what a folder takes beside its name.
	besideName = 64
)

// remember keeps a folder's time until the end.
func (u *unpacker) remember(name string, when time.Time) error {
	if u.named += int64(len(name)) + besideName; u.named > mostNamed {
		return launch.Fail(launch.InvalidArgument, nil, "%q: the names of the archive's folders have more than %d MiB", name, mostNamed>>20)
	}
	// A copy: a name may be a small part of a long header.
	u.folders = append(u.folders, folder{strings.Clone(name), when})
	return nil
}

// refuse names the entry.
func refuse(header *tar.Header, cause error, format string, args ...any) error {
	return launch.Fail(launch.InvalidArgument, cause, "entry %q: %s", header.Name, fmt.Sprintf(format, args...))
}

func (u *unpacker) entry(header *tar.Header, content io.Reader) error {
	u.answer.Entries++
	if u.answer.Entries > u.limits.Entries {
		return refuse(header, nil, "the archive has more than %d entries", u.limits.Entries)
	}
	name, err := beneath(header)
	if err != nil {
		return err
	}
	if header.Uid < 0 || header.Uid > maxID || header.Gid < 0 || header.Gid > maxID {
		return refuse(header, nil, "its owner %d:%d is above %d", header.Uid, header.Gid, maxID)
	}
	if err = u.room.Taken(blockSize); err == nil {
		err = u.make(header, name, content)
	}
	if err != nil {
		return classify(header, err)
	}
	return nil
}

// beneath checks the name as text; what it leads to is for the kernel to check.
func beneath(header *tar.Header) (string, error) {
	name := header.Name
	if path.IsAbs(name) {
		return "", refuse(header, nil, "its name is absolute")
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == ".." {
			return "", refuse(header, nil, "its name leads out of the archive")
		}
	}
	if strings.ContainsRune(name, 0) || name == "" {
		return "", refuse(header, nil, "its name is no path")
	}
	return path.Clean(name), nil
}

// classify tells a guest's trick from a host's trouble.
func classify(header *tar.Header, err error) error {
	switch {
	case errors.Is(err, unix.EXDEV), errors.Is(err, unix.ELOOP):
		return refuse(header, err, "its path goes through a link that leads out of the archive")
	case errors.Is(err, unix.ENOTDIR), errors.Is(err, unix.ENAMETOOLONG), errors.Is(err, unix.EISDIR), errors.Is(err, unix.ENOTEMPTY):
		return refuse(header, err, "its path cannot be made")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return refuse(header, err, "the archive ends within it")
	case errors.Is(err, unix.ENOSPC), errors.Is(err, unix.EDQUOT):
		return launch.Fail(launch.DiskFull, err, "unpacking %q", header.Name).WithRemedy("free space, or unpack a smaller image")
	}
	var failure *launch.Failure
	if errors.As(err, &failure) {
		return err
	}
	return fmt.Errorf("unpacking %q: %w", header.Name, err)
}

func (u *unpacker) make(header *tar.Header, name string, content io.Reader) error {
	if taken, err := u.taken(header, name); taken {
		return err
	}
	if header.Typeflag == tar.TypeChar || header.Typeflag == tar.TypeBlock {
		return u.device(header, name)
	}
	if name == "." {
		return u.rootFolder(header)
	}
	parent, err := u.openParent(path.Dir(name))
	if err != nil {
		return err
	}
	base := path.Base(name)
	switch header.Typeflag {
	case tar.TypeDir:
		return u.folder(header, parent, name)
	case tar.TypeReg, tar.TypeGNUSparse:
		return u.file(header, parent, base, content)
	case tar.TypeSymlink:
		return u.link(header, parent, base)
	case tar.TypeLink:
		return u.hardLink(header, parent, base)
	case tar.TypeFifo:
		if err := replace(parent, base); err != nil {
			return err
		}
		if err := unix.Mkfifoat(parent, base, 0o600); err != nil {
			return err
		}
		return u.dress(header, parent, base)
	default:
		return refuse(header, nil, "its type %q is none of a root file system", header.Typeflag)
	}
}

// device: nodes below dev are in every image and made by the runtime; elsewhere
// one would be the host's device to whoever comes near it. A layer's are left out
// wherever they are: engines took them into images that nobody can change any more.
func (u *unpacker) device(header *tar.Header, name string) error {
	if u.layer == nil && !strings.HasPrefix(name, "dev/") {
		return refuse(header, nil, "device nodes are not taken")
	}
	u.answer.SkippedDevices++
	return nil
}
