package untar

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
	"time"

	"cortex.dev/native/internal/launch"
	"golang.org/x/sys/unix"
)

// The marks of an image's layer for what it takes away from those beneath it
// (https://github.com/opencontainers/image-spec/blob/main/layer.md#whiteouts).
const (
	whiteout = ".wh."
	opaque   = ".wh..wh..opq"
	// reserved begins names by which old stores kept books, and nothing else.
	reserved = ".wh..wh."
)

// Layering is where a layer lies.
type Layering struct {
	// Below are the roots of the layers beneath it, the topmost first.
	Below []string
	// InUserNamespace chooses the marks that an overlay of an ordinary user reads.
	InUserNamespace bool
}

// opaqueAttribute hides what layers beneath have in a folder.
func (l Layering) opaqueAttribute() string {
	if l.InUserNamespace {
		return "user.overlay.opaque"
	}
	return "trusted.overlay.opaque"
}

// Layer unpacks one layer of an image, already decompressed, into an empty folder,
// as a lower layer of an overlay: what it takes away from the layers beneath is
// marked in the overlay's own way. Device nodes are left out. Failures are those of
// Unpack; a layer may be empty.
func Layer(archive io.Reader, target string, limits Limits, layering Layering) (launch.Extracted, error) {
	root, err := openTarget(target)
	if err != nil {
		return launch.Extracted{}, err
	}
	defer unix.Close(root)
	u := &unpacker{root: root, limits: limits, parent: -1, layer: &layering, room: NewRoom(root)}
	err = u.all(tar.NewReader(archive))
	u.close()
	if err != nil {
		return launch.Extracted{}, err
	}
	u.answer.Version = launch.Version
	return u.answer, nil
}

// taken marks what a layer's entry takes away, if it is such an entry.
func (u *unpacker) taken(header *tar.Header, name string) (bool, error) {
	base := path.Base(name)
	if u.layer == nil || !strings.HasPrefix(base, whiteout) {
		return false, nil
	}
	if base == opaque {
		folder := path.Dir(name)
		if err := u.makeParents(folder); err != nil {
			return true, err
		}
		return true, u.hideBeneath(folder)
	}
	if strings.HasPrefix(base, reserved) {
		return true, nil
	}
	hidden := strings.TrimPrefix(base, whiteout)
	if hidden == "" || hidden == "." || hidden == ".." {
		return true, refuse(header, nil, "it takes away %q, which is no name", hidden)
	}
	parent, err := u.openParent(path.Dir(name))
	if err != nil {
		return true, err
	}
	return true, u.takeAway(parent, path.Join(path.Dir(name), hidden))
}

// takeAway hides a name of the layers beneath; what this layer itself has of that
// name stays.
func (u *unpacker) takeAway(parent int, name string) error {
	base := path.Base(name)
	var stat unix.Stat_t
	err := unix.Fstatat(parent, base, &stat, unix.AT_SYMLINK_NOFOLLOW)
	switch {
	case errors.Is(err, unix.ENOENT):
		// 0:0 is the overlay's mark, and no device of anything.
		return unix.Mknodat(parent, base, unix.S_IFCHR, 0)
	case err != nil:
		return err
	case stat.Mode&unix.S_IFMT == unix.S_IFDIR:
		return u.hideBeneath(name)
	default:
		return nil
	}
}

// hideBeneath makes a folder of this layer show nothing of those beneath.
func (u *unpacker) hideBeneath(folder string) error {
	if folder == "." {
		return u.hide(u.root)
	}
	fd, err := u.open(folder, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return u.hide(fd)
}

func (u *unpacker) hide(folder int) error {
	if err := unix.Fsetxattr(folder, u.layer.opaqueAttribute(), []byte("y"), 0); err != nil {
		return launch.Fail(launch.NotReady, err, "the file system of the home cannot mark a folder of a layer").
			WithRemedy("put the home folder (CORTEX_HOME) on ext4, xfs or btrfs")
	}
	return nil
}

// isWhiteout says whether a name is the mark of something that was taken away.
func isWhiteout(stat unix.Stat_t) bool {
	return stat.Mode&unix.S_IFMT == unix.S_IFCHR && stat.Rdev == 0
}

// makeFolder makes a folder that may be there already. Where the layer took that
// name away before, the folder is a new one that shows nothing from beneath.
func (u *unpacker) makeFolder(parent int, name string, mode uint32) (made bool, err error) {
	base := path.Base(name)
	err = unix.Mkdirat(parent, base, mode)
	if err == nil {
		return true, nil
	}
	if !errors.Is(err, unix.EEXIST) {
		return false, err
	}
	var stat unix.Stat_t
	if err := unix.Fstatat(parent, base, &stat, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return false, err
	}
	if u.layer == nil || !isWhiteout(stat) {
		return false, nil
	}
	if err := errors.Join(unix.Unlinkat(parent, base, 0), unix.Mkdirat(parent, base, mode)); err != nil {
		return false, err
	}
	return true, u.hideBeneath(name)
}

// likeBeneath gives a folder that the layer does not name owner, mode and time of
// the one beneath, which it would cover otherwise.
func (u *unpacker) likeBeneath(parent int, name string) error {
	if u.layer == nil {
		return nil
	}
	for _, root := range u.layer.Below {
		stat, err := statBeneath(root, name)
		if errors.Is(err, unix.ENOENT) {
			continue
		}
		if err != nil || stat.Mode&unix.S_IFMT != unix.S_IFDIR {
			return nil
		}
		base := path.Base(name)
		if err := unix.Fchownat(parent, base, int(stat.Uid), int(stat.Gid), unix.AT_SYMLINK_NOFOLLOW); err != nil {
			return err
		}
		if err := unix.Fchmodat(parent, base, stat.Mode&0o7777, 0); err != nil {
			return err
		}
		return u.remember(name, time.Unix(stat.Mtim.Unix()))
	}
	return nil
}

func statBeneath(root, name string) (unix.Stat_t, error) {
	var stat unix.Stat_t
	folder, err := os.OpenFile(root, unix.O_PATH|unix.O_DIRECTORY, 0)
	if err != nil {
		return stat, fmt.Errorf("opening the layer beneath: %w", err)
	}
	defer folder.Close()
	fd, err := unix.Openat2(int(folder.Fd()), name, &unix.OpenHow{
		Flags:   unix.O_PATH | unix.O_NOFOLLOW | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_XDEV,
	})
	if err != nil {
		return stat, err
	}
	defer unix.Close(fd)
	return stat, unix.Fstat(fd, &stat)
}
