package files

import (
	"context"
	"errors"
	"io"
	"math"
	"strings"

	"golang.org/x/sys/unix"
)

// Unpacking says how an archive is unpacked.
type Unpacking struct {
	// Owners gives entries the uid and gid of the archive, and keeps the special bits; it needs
	// root. Without it files belong to whom the thread acts for.
	Owners bool
	// Special keeps setuid, setgid and sticky bits, which otherwise go.
	Special bool
	// Umask is taken from every mode, whatever the process's own umask.
	Umask uint32
}

const (
	// A folder's mode and time are set once everything is in it; so much of their names is kept
	// at most, about a million folders.
	foldersBytesMost = 128 << 20
	folderBytes      = 64 // beside the name
	// A link's target may be as long as a path.
	targetMost = unix.PathMax - 1
)

// Unpack reads a tar from `from` and makes what it holds beneath the open folder dir: regular
// files (sparse ones with their holes), folders, symbolic links and hard links, with modes and
// times. `from` must end with io.EOF only where its sender said that this is the end.
//
// The archive may be hostile. Every entry is opened beneath dir without following a link, so
// nothing outside is touched, whatever the archive holds and whatever others do in the folder
// meanwhile; symbolic links are made as they are. The first entry that is absolute, holds `..`,
// leads through a link, links to something outside, or is a device or FIFO ends it with
// InvalidArgument and the entry's name; so does an archive that is damaged or cut short. What
// was unpacked before stays.
//
// A file or link that exists is replaced atomically; a folder is kept and filled; a folder is
// never replaced by something else. It runs with the calling thread's rights.
func Unpack(ctx context.Context, dir int, from io.Reader, how Unpacking) (Report, error) {
	return newUnpacker(ctx, dir, from, how).all()
}

func newUnpacker(ctx context.Context, dir int, from io.Reader, how Unpacking) *unpacker {
	u := &unpacker{
		ctx:    ctx,
		tree:   newTree(dir),
		how:    how,
		in:     newArchiveReader(from),
		parent: -1,
	}
	return u
}

func (u *unpacker) all() (Report, error) {
	defer u.leaveParent()
	err := u.entries()
	if err == nil {
		err = u.finishFolders()
	}
	if err == nil {
		err = u.in.drain()
	}
	u.report.Bytes = uint64(u.in.consumed)
	return u.report, err
}

type unpacker struct {
	ctx        context.Context
	tree       *tree
	how        Unpacking
	in         *archiveReader
	header     archived
	parent     int // the folder that the last entry lay in, -1: none
	parentPath string
	folders    []unpackedFolder
	kept       int // bytes of folders
	report     Report
}

// unpackedFolder gets its mode and time at the end.
type unpackedFolder struct {
	path       string
	mode       uint32
	uid, gid   int
	modifiedNs int64
	made       bool // by this archive
	implied    bool // only as another entry's parent: it has no time of its own
}

// damaged says what is wrong with the archive behind or in an entry; an error of the stream goes
// on as it is.
func damaged(err error, entry string) error {
	var what malformed
	if !errors.As(err, &what) {
		return err
	}
	at := ""
	if entry != "" {
		at = ", at the entry " + quoted(entry)
	}
	if what == cutShort {
		return invalid("send the whole archive", "the archive is cut short%s", at)
	}
	return invalid("send a tar archive", "the archive is damaged or no tar: %s%s", what, at)
}

func (u *unpacker) entries() error {
	last := ""
	for {
		if err := u.ctx.Err(); err != nil {
			return err
		}
		h := &u.header
		err := u.in.next(h)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return damaged(err, last)
		}
		last = h.name
		if u.report.Entries++; u.report.Entries > ArchiveEntriesMost {
			return invalid("send it in parts", "the archive holds more than %d entries, the next is %s", ArchiveEntriesMost, quoted(h.name))
		}
		if err := u.entry(h); err != nil {
			return err
		}
	}
}

func (u *unpacker) entry(h *archived) error {
	path, err := entryPath(h.name)
	if err != nil {
		return err
	}
	if path == "" {
		if h.kind == typeFolder {
			return nil // the target itself, whose mode is its owner's affair
		}
		return refused(h.name, "has no name")
	}
	if u.how.Owners && (min(h.uid, h.gid) < 0 || max(h.uid, h.gid) >= math.MaxUint32) {
		return refused(h.name, "has an owner that cannot be")
	}
	switch h.kind {
	case typeRegular, typeContiguous:
		return u.file(h, path)
	case typeFolder:
		return u.folder(h, path)
	case typeSymlink:
		return u.symlink(h, path)
	case typeHardlink:
		return u.hardlink(h, path)
	case typeDevice, typeDisk:
		return refused(h.name, "is a device")
	case typeFifo:
		return refused(h.name, "is a FIFO")
	}
	return refused(h.name, "is of a type that is not known")
}

func refused(name, why string) error {
	return invalid("make the archive without it", "the archive's entry %s %s", quoted(name), why)
}

// entryPath judges an entry's name and gives it without `.`, doubled and trailing slashes; the
// folder itself is empty.
func entryPath(name string) (string, error) {
	if name == "" {
		return "", refused(name, "has no name")
	}
	if len(name) > NameMost {
		return "", refused(name, "has a name that is too long")
	}
	if name[0] == '/' {
		return "", refused(name, "is absolute")
	}
	if strings.IndexByte(name, 0) >= 0 {
		return "", refused(name, "has a NUL byte in its name")
	}
	clean := true
	for rest, more := name, true; more; {
		var part string
		part, rest, more = strings.Cut(rest, "/")
		switch {
		case part == "..":
			return "", refused(name, "leads out of the folder by ..")
		case part == "" || part == ".":
			clean = false
		case len(part) > ComponentMost:
			return "", refused(name, "has a part in its name that is too long")
		}
	}
	if clean {
		return name, nil
	}
	parts := strings.Split(name, "/")
	kept := parts[:0]
	for _, part := range parts {
		if part != "" && part != "." {
			kept = append(kept, part)
		}
	}
	return strings.Join(kept, "/"), nil
}

// enter opens the folder that the entry lies in, making what is missing of it, and gives the
// entry's last name. The folder stays open for the next entry.
func (u *unpacker) enter(h *archived, path string) (name string, err error) {
	i := strings.LastIndexByte(path, '/')
	folder, name := path[:max(i, 0)], path[i+1:]
	if u.parent >= 0 && folder == u.parentPath {
		return name, nil
	}
	u.leaveParent()
	fd, err := u.openFolder(folder)
	if err == unix.ENOENT {
		fd, err = u.makeFolders(folder)
	}
	if err != nil {
		return "", through(h.name, err)
	}
	u.parent, u.parentPath = fd, folder
	return name, nil
}

func (u *unpacker) openFolder(path string) (int, error) {
	if path == "" {
		path = "."
	}
	return u.tree.open(path, unix.O_PATH|unix.O_DIRECTORY)
}

func through(name string, err error) error {
	switch err {
	case unix.ELOOP, unix.ENOTDIR, unix.EXDEV:
		return refused(name, "leads through a link or something else that is no folder")
	}
	return failure("unpack", name, err)
}

func (u *unpacker) leaveParent() {
	if u.parent >= 0 {
		unix.Close(u.parent)
		u.parent = -1
	}
}

// makeFolders makes the parents that the archive has no entries for.
func (u *unpacker) makeFolders(path string) (int, error) {
	at, err := u.openFolder("")
	if err != nil {
		return -1, err
	}
	for end := 0; end < len(path); end++ {
		start := end
		if end = strings.IndexByte(path[start:], '/'); end < 0 {
			end = len(path)
		} else {
			end += start
		}
		name := path[start:end]
		next, err := u.makeFolderIn(at, name, path[:end])
		unix.Close(at)
		if err != nil {
			return -1, err
		}
		at = next
	}
	return at, nil
}

func (u *unpacker) makeFolderIn(dir int, name, path string) (int, error) {
	err := unix.Mkdirat(dir, name, 0o700)
	if err != nil && err != unix.EEXIST {
		return -1, err
	}
	if err == nil {
		made := unpackedFolder{path: path, mode: 0o755 &^ u.how.Umask, uid: -1, gid: -1, made: true, implied: true}
		if err := u.keep(made); err != nil {
			return -1, err
		}
	}
	return open(dir, name, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW, 0)
}

func (u *unpacker) keep(f unpackedFolder) error {
	if u.kept += len(f.path) + folderBytes; u.kept > foldersBytesMost {
		return invalid("send it in parts", "the archive holds too many folders, the next is %s", quoted(f.path))
	}
	f.path = strings.Clone(f.path) // not the whole name that it is a part of
	u.folders = append(u.folders, f)
	return nil
}

func (u *unpacker) folder(h *archived, path string) error {
	name, err := u.enter(h, path)
	if err != nil {
		return err
	}
	f := unpackedFolder{path: path, mode: u.mode(h), modifiedNs: h.modifiedNs, uid: -1, gid: -1, made: true}
	if u.how.Owners {
		f.uid, f.gid = int(h.uid), int(h.gid)
	}
	switch err := unix.Mkdirat(u.parent, name, 0o700); err {
	case nil:
	case unix.EEXIST:
		var st unix.Stat_t
		if err := unix.Fstatat(u.parent, name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
			return failure("unpack", h.name, err)
		}
		if st.Mode&unix.S_IFMT != unix.S_IFDIR {
			return refused(h.name, "is a folder where a link or file is")
		}
		f.made = false
		if st.Mode&0o700 != 0o700 {
			u.openUp(name, st.Mode&modeBits)
		}
	default:
		return failure("unpack", h.name, err)
	}
	return u.keep(f)
}

// openUp lets the owner of a folder that is there fill it, as with those that are made here; the
// archive's mode comes at the end. Where it may not, what is to go into the folder will say so.
func (u *unpacker) openUp(name string, mode uint32) {
	fd, err := open(u.parent, name, openFolder|unix.O_NOFOLLOW, 0)
	if err != nil {
		return
	}
	_ = unix.Fchmod(fd, mode|0o700)
	unix.Close(fd)
}

// finishFolders gives the folders their modes and times, from the last to the first: a parent
// comes before what is in it, and may become one that cannot be entered.
func (u *unpacker) finishFolders() error {
	u.leaveParent()
	for i := len(u.folders) - 1; i >= 0; i-- {
		if err := u.finishFolder(&u.folders[i]); err != nil {
			return failure("unpack", u.folders[i].path, err)
		}
	}
	return nil
}

func (u *unpacker) finishFolder(f *unpackedFolder) error {
	fd, err := u.tree.open(f.path, openFolder)
	if vanished(err) || (err == unix.EACCES && !f.made) {
		return nil
	}
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	err = u.finish(fd, f.uid, f.gid, f.mode, f.modifiedNs, f.implied)
	if !f.made && (err == unix.EPERM || err == unix.EROFS) {
		return nil // a folder of someone else's was there and was filled: it keeps what it has
	}
	return err
}

// finish sets what an open file or folder is to have, the mode last but one: a new owner clears bits.
func (u *unpacker) finish(fd, uid, gid int, mode uint32, modifiedNs int64, timeless bool) error {
	if uid >= 0 {
		if err := unix.Fchown(fd, uid, gid); err != nil {
			return err
		}
	}
	if err := unix.Fchmod(fd, mode); err != nil {
		return err
	}
	if timeless {
		return nil
	}
	return setModified(fd, modifiedNs)
}

func (u *unpacker) mode(h *archived) uint32 {
	mode := h.mode
	if !u.how.Owners && !u.how.Special {
		mode &= 0o777
	}
	return mode &^ u.how.Umask
}

// newEntry is a name for what an entry makes: its own, or, where something is there already, a
// temporary one that takes its place at the end.
type newEntry struct {
	dir  int
	name string
	temp string // empty: made under its own name
}

func (n *newEntry) at() string {
	if n.temp != "" {
		return n.temp
	}
	return n.name
}

// create makes something under the entry's name, or beside it where that is taken.
func (u *unpacker) create(h *archived, name string, make func(dir int, name string) error) (newEntry, error) {
	n := newEntry{dir: u.parent, name: name}
	err := make(n.dir, n.name)
	if err != unix.EEXIST {
		return n, err
	}
	var st unix.Stat_t
	if unix.Fstatat(n.dir, name, &st, unix.AT_SYMLINK_NOFOLLOW) == nil && st.Mode&unix.S_IFMT == unix.S_IFDIR {
		return n, refused(h.name, "is no folder, and a folder is in its place")
	}
	n.temp = temporaryName()
	return n, make(n.dir, n.temp)
}

func (n *newEntry) discard() {
	// The error that led here says more than one of this.
	_ = unix.Unlinkat(n.dir, n.at(), 0)
}

// settle gives a temporary entry its name.
func (n *newEntry) settle() error {
	if n.temp == "" {
		return nil
	}
	err := unix.Renameat(n.dir, n.temp, n.dir, n.name)
	if err != nil {
		n.discard()
		return err
	}
	// Renaming one name of a file to another of the same file does nothing, by POSIX.
	if err := unix.Unlinkat(n.dir, n.temp, 0); err != unix.ENOENT {
		return err
	}
	return nil
}

func (u *unpacker) file(h *archived, path string) error {
	name, err := u.enter(h, path)
	if err != nil {
		return err
	}
	fd := -1
	made, err := u.create(h, name, func(dir int, name string) error {
		fd, err = open(dir, name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_NOCTTY, 0o600)
		return err
	})
	if err != nil {
		return failure("unpack", h.name, err)
	}
	err = u.fill(fd, h)
	if closed := unix.Close(fd); err == nil {
		err = closed
	}
	if err != nil {
		made.discard()
		return u.failed(h.name, err)
	}
	return failure("unpack", h.name, made.settle())
}

// failed tells an error of the disk from one of the archive or its stream.
func (u *unpacker) failed(name string, err error) error {
	var what malformed
	switch {
	case errors.As(err, &what):
		return damaged(err, name)
	case u.in.err != nil && errors.Is(err, u.in.err), u.ctx.Err() != nil:
		return err
	}
	return failure("unpack", name, err)
}

func (u *unpacker) fill(fd int, h *archived) error {
	regions := h.regions
	if !h.sparse {
		regions = append(regions, region{0, h.size})
	} else if err := unix.Ftruncate(fd, h.size); err != nil {
		return err
	}
	for _, r := range regions {
		if err := u.content(fd, r); err != nil {
			return err
		}
	}
	h.regions = regions
	uid, gid := -1, -1
	if u.how.Owners {
		uid, gid = int(h.uid), int(h.gid)
	}
	return u.finish(fd, uid, gid, u.mode(h), h.modifiedNs, false)
}

// content writes the next bytes of the archive to a region of the file.
func (u *unpacker) content(fd int, r region) error {
	for r.from < r.to {
		b, err := u.in.window(r.to - r.from)
		if err != nil {
			return err
		}
		if err := writeAt(fd, b, r.from); err != nil {
			return err
		}
		r.from += int64(len(b))
		if err := u.ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

func (u *unpacker) symlink(h *archived, path string) error {
	switch {
	case h.link == "" || strings.IndexByte(h.link, 0) >= 0:
		return refused(h.name, "is a link to nowhere")
	case len(h.link) > targetMost:
		return refused(h.name, "is a link to a path that is too long")
	}
	name, err := u.enter(h, path)
	if err != nil {
		return err
	}
	made, err := u.create(h, name, func(dir int, name string) error { return unix.Symlinkat(h.link, dir, name) })
	if err != nil {
		return failure("unpack", h.name, err)
	}
	if u.how.Owners {
		err = unix.Fchownat(made.dir, made.at(), int(h.uid), int(h.gid), unix.AT_SYMLINK_NOFOLLOW)
	}
	if err == nil {
		times := modifiedOnly(h.modifiedNs)
		err = unix.UtimesNanoAt(made.dir, made.at(), times[:], unix.AT_SYMLINK_NOFOLLOW)
	}
	if err != nil {
		made.discard()
		return failure("unpack", h.name, err)
	}
	return failure("unpack", h.name, made.settle())
}

func (u *unpacker) hardlink(h *archived, path string) error {
	target, err := entryPath(h.link)
	if err != nil || target == "" {
		return refused(h.name, "is a hard link to something outside: "+quoted(h.link))
	}
	i := strings.LastIndexByte(target, '/')
	folder, err := u.openFolder(target[:max(i, 0)])
	if err != nil {
		return linkFailure(h, err)
	}
	defer unix.Close(folder)
	name, err := u.enter(h, path)
	if err != nil {
		return err
	}
	// Without AT_SYMLINK_FOLLOW a link at the end is itself what gets a second name.
	made, err := u.create(h, name, func(dir int, name string) error {
		return unix.Linkat(folder, target[i+1:], dir, name, 0)
	})
	if err != nil {
		return linkFailure(h, err)
	}
	return failure("unpack", h.name, made.settle())
}

func linkFailure(h *archived, err error) error {
	switch err {
	case unix.ELOOP, unix.ENOTDIR, unix.EXDEV:
		return refused(h.name, "is a hard link that leads through a link: "+quoted(h.link))
	case unix.ENOENT:
		return refused(h.name, "is a hard link to what is not there: "+quoted(h.link))
	case unix.EPERM:
		return refused(h.name, "is a hard link to what may have no second name: "+quoted(h.link))
	}
	return failure("unpack", h.name, err)
}

func (t *Transfer) checkPushTar() error {
	if t.copy.KeepOwners && t.caller.Switch && t.caller.UID != 0 {
		return &Error{Code: Denied, Message: "only root may keep the owners of an archive", Remedy: "act as root, or let the files be the user's"}
	}
	if t.copy.MakeParents {
		return nil
	}
	return t.caller.as(func() error {
		fd, err := t.target()
		if err != nil {
			return err
		}
		unix.Close(fd)
		return nil
	})
}

// target opens the folder that is unpacked into; a person named it, so links to it are followed.
func (t *Transfer) target() (int, error) {
	fd, err := open(unix.AT_FDCWD, t.path, unix.O_PATH|unix.O_DIRECTORY, 0)
	if err == unix.ENOENT && t.copy.MakeParents {
		if err = makeParents(t.path + "/."); err != nil {
			return -1, failure("make the folder", t.path, err)
		}
		fd, err = open(unix.AT_FDCWD, t.path, unix.O_PATH|unix.O_DIRECTORY, 0)
	}
	if err == unix.ENOTDIR {
		return -1, invalid("name a folder to unpack into", "%s is not a folder", quoted(t.path))
	}
	return fd, failure("unpack into", t.path, err)
}

func (t *Transfer) receiveTar(ctx context.Context, from io.Reader) error {
	return t.caller.as(func() error {
		fd, err := t.target()
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		_, err = Unpack(ctx, fd, from, Unpacking{Owners: t.copy.KeepOwners})
		return err
	})
}
