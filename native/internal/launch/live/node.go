package live

import (
	"context"
	"errors"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"
)

// permissions are the mode bits that a sandbox can give: a set-uid file of the
// folder's owner would be one for everybody on the host.
const permissions = 0o1777

// tree is what all nodes of a mount share.
type tree struct {
	folder folder
	rule   Rule
	owners owners
	// shape is held, to read, from the rule's word about a name until the name was used; and alone by
	// what changes what other names mean: a move, and the making of a part of a repository. Otherwise a
	// folder could be exchanged for another between the two, and one that lacks a part be completed.
	shape sync.RWMutex
	// generation tells nodes of one file apart.
	generation atomic.Uint64
}

// forbids says whether what is called at may not be changed, made, replaced or
// removed: by its name, or since it lies in a folder that is a repository without
// saying so, or would become one by it.
func (t *tree) forbids(at string) bool {
	if t.rule.Protected(at) {
		return true
	}
	if t.rule.WritableHooks {
		return false
	}
	names := strings.Split(at, "/")
	for i, name := range names {
		if inGit[strings.ToLower(name)] && !slices.Contains(names[:i], gitName) && t.has(strings.Join(names[:i], "/"), parts) {
			return true
		}
	}
	others, is := isPart(path.Base(at))
	return is && !slices.Contains(names, gitName) && t.rule.Within == "" && t.has(parentOf(at), others)
}

func (t *tree) has(dir string, names []string) bool {
	for _, name := range names {
		if _, err := t.folder.stat(path.Join(dir, name)); err != nil {
			return false
		}
	}
	return true
}

// making holds the shape while a name is made.
func (t *tree) making(name string) (leave func()) {
	if _, is := isPart(name); is {
		t.shape.Lock()
		return t.shape.Unlock
	}
	return t.using()
}

// using holds the shape while what has a name is changed.
func (t *tree) using() (leave func()) {
	t.shape.RLock()
	return t.shape.RUnlock
}

// owners maps the folder's owner to the sandbox's user, and all others to nobody.
type owners struct {
	hostUID, hostGID     uint32
	shownUID, shownGID   uint32
	nobodyUID, nobodyGID uint32
}

func (o owners) show(attr *fuse.Attr) {
	if attr.Uid == o.hostUID {
		attr.Uid = o.shownUID
	} else {
		attr.Uid = o.nobodyUID
	}
	if attr.Gid == o.hostGID {
		attr.Gid = o.shownGID
	} else {
		attr.Gid = o.nobodyGID
	}
}

// node is a name in the folder. A file with two names is two nodes, so that the
// rule always sees the name that is used.
type node struct {
	fs.Inode
	tree *tree

	mu sync.Mutex
	// ino and mode tell whether the name means the same file still.
	ino  uint64
	mode uint32
	// open are handles by which a file is reached that has no name any more.
	open map[*fs.LoopbackFile]bool
}

var (
	_ fs.NodeLookuper       = (*node)(nil)
	_ fs.NodeGetattrer      = (*node)(nil)
	_ fs.NodeSetattrer      = (*node)(nil)
	_ fs.NodeOpener         = (*node)(nil)
	_ fs.NodeCreater        = (*node)(nil)
	_ fs.NodeMkdirer        = (*node)(nil)
	_ fs.NodeMknoder        = (*node)(nil)
	_ fs.NodeSymlinker      = (*node)(nil)
	_ fs.NodeLinker         = (*node)(nil)
	_ fs.NodeReadlinker     = (*node)(nil)
	_ fs.NodeUnlinker       = (*node)(nil)
	_ fs.NodeRmdirer        = (*node)(nil)
	_ fs.NodeRenamer        = (*node)(nil)
	_ fs.NodeReaddirer      = (*node)(nil)
	_ fs.NodeStatfser       = (*node)(nil)
	_ fs.NodeCopyFileRanger = (*node)(nil)
	_ fs.NodeReleaser       = (*node)(nil)
)

// path is relative to the folder. A node that lost its name has none.
func (n *node) path() (string, syscall.Errno) {
	if n.IsRoot() {
		return "", 0
	}
	if _, parent := n.Parent(); parent == nil {
		return "", syscall.ENOENT
	}
	return n.Path(n.Root()), 0
}

func (n *node) child(name string) (string, syscall.Errno) {
	dir, errno := n.path()
	if errno != 0 {
		return "", errno
	}
	return path.Join(dir, name), 0
}

// changing is the path of a name that is about to be made, replaced or removed.
func (n *node) changing(name string) (string, syscall.Errno) {
	at, errno := n.child(name)
	if errno == 0 && n.tree.forbids(at) {
		return "", syscall.EPERM
	}
	return at, errno
}

func (n *node) Lookup(ctx context.Context, name string, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	at, errno := n.child(name)
	if errno != 0 {
		return nil, errno
	}
	return n.entry(ctx, name, at, out)
}

// entry is the node for a name that exists: the one that there is, while the name
// means the same file.
func (n *node) entry(ctx context.Context, name, at string, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	stat, err := n.tree.folder.stat(at)
	if err != nil {
		return nil, fs.ToErrno(err)
	}
	n.tree.attributes(&stat, &out.Attr)
	if known := n.GetChild(name); known != nil {
		if same, ok := known.Operations().(*node); ok && same.ino == stat.Ino && same.mode == stat.Mode&unix.S_IFMT {
			return known, 0
		}
	}
	made := &node{tree: n.tree, ino: stat.Ino, mode: stat.Mode & unix.S_IFMT}
	// The host's number, since git compares it; and a generation of its own, since the file may have
	// other names.
	identity := fs.StableAttr{Mode: made.mode, Ino: stat.Ino, Gen: n.tree.generation.Add(1)}
	return n.NewInode(ctx, made, identity), 0
}

func (t *tree) attributes(stat *unix.Stat_t, out *fuse.Attr) {
	out.FromStat((*syscall.Stat_t)(pointer(stat)))
	out.Rdev = 0
	t.owners.show(out)
}

func (n *node) Getattr(ctx context.Context, handle fs.FileHandle, out *fuse.AttrOut) syscall.Errno {
	at, errno := n.path()
	if errno == 0 {
		stat, err := n.tree.folder.stat(at)
		if err == nil && (n.IsRoot() || stat.Ino == n.ino) {
			n.tree.attributes(&stat, &out.Attr)
			return 0
		}
	}
	return n.opened(handle, func(file *fs.LoopbackFile) syscall.Errno {
		errno := file.Getattr(ctx, out)
		n.tree.owners.show(&out.Attr)
		return errno
	})
}

// opened runs something with a handle of a file that has lost its name.
func (n *node) opened(handle fs.FileHandle, run func(*fs.LoopbackFile) syscall.Errno) syscall.Errno {
	if file, ok := handle.(*fs.LoopbackFile); ok {
		return run(file)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	for file := range n.open {
		return run(file)
	}
	return syscall.ENOENT
}

func (n *node) Setattr(ctx context.Context, handle fs.FileHandle, in *fuse.SetAttrIn, out *fuse.AttrOut) syscall.Errno {
	defer n.tree.using()()
	at, errno := n.path()
	if errno != 0 {
		return n.opened(handle, func(file *fs.LoopbackFile) syscall.Errno {
			if errno := n.tree.owners.refuse(in); errno != 0 {
				return errno
			}
			in.Valid &^= fuse.FATTR_UID | fuse.FATTR_GID
			in.Mode &= permissions
			errno := file.Setattr(ctx, in, out)
			n.tree.owners.show(&out.Attr)
			return errno
		})
	}
	if n.tree.forbids(at) {
		return syscall.EPERM
	}
	if errno := n.tree.owners.refuse(in); errno != 0 {
		return errno
	}
	if errno := n.tree.folder.change(at, in); errno != 0 {
		return errno
	}
	return n.Getattr(ctx, handle, out)
}

// refuse lets nobody give a file away; that it stays whose it is, is no change.
func (o owners) refuse(in *fuse.SetAttrIn) syscall.Errno {
	if uid, ok := in.GetUID(); ok && uid != o.shownUID {
		return syscall.EPERM
	}
	if gid, ok := in.GetGID(); ok && gid != o.shownGID {
		return syscall.EPERM
	}
	return 0
}

func (f folder) change(at string, in *fuse.SetAttrIn) syscall.Errno {
	if size, ok := in.GetSize(); ok {
		fd, err := f.open(at, unix.O_WRONLY|unix.O_NONBLOCK, 0)
		if err != nil {
			return fs.ToErrno(err)
		}
		err = unix.Ftruncate(fd, int64(size))
		_ = unix.Close(fd)
		if err != nil {
			return fs.ToErrno(err)
		}
	}
	if mode, ok := in.GetMode(); ok {
		if errno := f.chmod(at, mode&permissions); errno != 0 {
			return errno
		}
	}
	return f.touch(at, in)
}

// chmod goes through a descriptor, since the call by name follows links.
func (f folder) chmod(at string, mode uint32) syscall.Errno {
	fd, err := f.open(at, unix.O_PATH, 0)
	if err != nil {
		return fs.ToErrno(err)
	}
	defer unix.Close(fd)
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return fs.ToErrno(err)
	}
	if stat.Mode&unix.S_IFMT == unix.S_IFLNK {
		return syscall.EOPNOTSUPP
	}
	return fs.ToErrno(unix.Chmod(procPath(fd), mode))
}

func (f folder) touch(at string, in *fuse.SetAttrIn) syscall.Errno {
	times := []unix.Timespec{{Nsec: unix.UTIME_OMIT}, {Nsec: unix.UTIME_OMIT}}
	set := false
	for i, get := range []func() (time.Time, bool){in.GetATime, in.GetMTime} {
		if when, ok := get(); ok {
			spec, err := unix.TimeToTimespec(when)
			if err != nil {
				return syscall.EINVAL
			}
			times[i], set = spec, true
		}
	}
	if !set {
		return 0
	}
	if at == "" {
		return fs.ToErrno(unix.UtimesNanoAt(unix.AT_FDCWD, procPath(f.root), times, 0))
	}
	return fs.ToErrno(f.in(at, func(parent int, base string) error {
		return unix.UtimesNanoAt(parent, base, times, unix.AT_SYMLINK_NOFOLLOW)
	}))
}

const writing = unix.O_WRONLY | unix.O_RDWR | unix.O_TRUNC

// kernels are flags that the kernel takes care of, or that are none of ours.
const kernels = unix.O_APPEND | unix.O_CREAT | unix.O_EXCL | unix.O_NOCTTY | unix.O_DIRECT | unix.O_TMPFILE&^unix.O_DIRECTORY | fuse.FMODE_EXEC

func (n *node) Open(_ context.Context, flags uint32) (fs.FileHandle, uint32, syscall.Errno) {
	defer n.tree.using()()
	at, errno := n.path()
	if errno != 0 {
		return nil, 0, errno
	}
	if flags&writing != 0 && n.tree.forbids(at) {
		return nil, 0, syscall.EPERM
	}
	// Without waiting: a pipe in the host's folder must not hold the guard.
	fd, err := n.tree.folder.open(at, int(flags)&^kernels|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, 0, fs.ToErrno(err)
	}
	return n.handle(fd), 0, 0
}

func (n *node) handle(fd int) *fs.LoopbackFile {
	file := fs.NewLoopbackFileFromOS(os.NewFile(uintptr(fd), ""))
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.open == nil {
		n.open = map[*fs.LoopbackFile]bool{}
	}
	n.open[file] = true
	return file
}

func (n *node) Release(ctx context.Context, handle fs.FileHandle) syscall.Errno {
	file, ok := handle.(*fs.LoopbackFile)
	if !ok {
		return 0
	}
	n.mu.Lock()
	delete(n.open, file)
	n.mu.Unlock()
	return file.Release(ctx)
}

func (n *node) Create(ctx context.Context, name string, flags, mode uint32, out *fuse.EntryOut) (*fs.Inode, fs.FileHandle, uint32, syscall.Errno) {
	defer n.tree.making(name)()
	at, errno := n.changing(name)
	if errno != 0 {
		return nil, nil, 0, errno
	}
	fd, err := n.tree.folder.open(at, int(flags)&^(kernels&^unix.O_EXCL)|unix.O_CREAT|unix.O_NONBLOCK, mode&permissions)
	if err != nil {
		return nil, nil, 0, fs.ToErrno(err)
	}
	inode, errno := n.entry(ctx, name, at, out)
	if errno != 0 {
		_ = unix.Close(fd)
		return nil, nil, 0, errno
	}
	return inode, inode.Operations().(*node).handle(fd), 0, 0
}

// make makes a name by a call and gives its node.
func (n *node) make(ctx context.Context, name string, out *fuse.EntryOut, call func(parent int, base string) error) (*fs.Inode, syscall.Errno) {
	defer n.tree.making(name)()
	return n.made(ctx, name, out, call)
}

// made is make for who holds the shape.
func (n *node) made(ctx context.Context, name string, out *fuse.EntryOut, call func(parent int, base string) error) (*fs.Inode, syscall.Errno) {
	at, errno := n.changing(name)
	if errno != 0 {
		return nil, errno
	}
	if err := n.tree.folder.in(at, call); err != nil {
		return nil, fs.ToErrno(err)
	}
	return n.entry(ctx, name, at, out)
}

func (n *node) Mkdir(ctx context.Context, name string, mode uint32, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	return n.make(ctx, name, out, func(parent int, base string) error {
		return unix.Mkdirat(parent, base, mode&permissions)
	})
}

func (n *node) Mknod(ctx context.Context, name string, mode, _ uint32, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	switch kind := mode & unix.S_IFMT; kind {
	case unix.S_IFREG, unix.S_IFIFO, unix.S_IFSOCK:
		return n.make(ctx, name, out, func(parent int, base string) error {
			return unix.Mknodat(parent, base, kind|mode&permissions, 0)
		})
	default:
		return nil, syscall.EPERM
	}
}

func (n *node) Symlink(ctx context.Context, target, name string, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	return n.make(ctx, name, out, func(parent int, base string) error {
		return unix.Symlinkat(target, parent, base)
	})
}

// Link gives no second name to what is protected, by which it could be written.
func (n *node) Link(ctx context.Context, target fs.InodeEmbedder, name string, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	source, ok := target.(*node)
	if !ok {
		return nil, syscall.EXDEV
	}
	defer n.tree.making(name)()
	from, errno := source.path()
	if errno != 0 {
		return nil, errno
	}
	if n.tree.forbids(from) {
		return nil, syscall.EPERM
	}
	return n.made(ctx, name, out, func(parent int, base string) error {
		return n.tree.folder.in(from, func(parentFrom int, baseFrom string) error {
			return unix.Linkat(parentFrom, baseFrom, parent, base, 0)
		})
	})
}

func (n *node) Readlink(context.Context) ([]byte, syscall.Errno) {
	at, errno := n.path()
	if errno != 0 {
		return nil, errno
	}
	target := make([]byte, unix.PathMax)
	var length int
	err := n.tree.folder.in(at, func(parent int, base string) error {
		var err error
		length, err = unix.Readlinkat(parent, base, target)
		return err
	})
	if err != nil {
		return nil, fs.ToErrno(err)
	}
	return target[:length], 0
}

func (n *node) Unlink(_ context.Context, name string) syscall.Errno { return n.remove(name, 0) }

func (n *node) Rmdir(_ context.Context, name string) syscall.Errno {
	return n.remove(name, unix.AT_REMOVEDIR)
}

func (n *node) remove(name string, flags int) syscall.Errno {
	defer n.tree.using()()
	at, errno := n.changing(name)
	if errno != 0 {
		return errno
	}
	return fs.ToErrno(n.tree.folder.in(at, func(parent int, base string) error {
		return unix.Unlinkat(parent, base, flags)
	}))
}

func (n *node) Rename(_ context.Context, name string, newParent fs.InodeEmbedder, newName string, flags uint32) syscall.Errno {
	to, ok := newParent.(*node)
	if !ok || flags&unix.RENAME_WHITEOUT != 0 {
		return syscall.EXDEV
	}
	n.tree.shape.Lock()
	defer n.tree.shape.Unlock()
	from, errno := n.changing(name)
	if errno != 0 {
		return errno
	}
	target, errno := to.changing(newName)
	if errno != 0 {
		return errno
	}
	return fs.ToErrno(n.tree.folder.in(from, func(parent int, base string) error {
		return n.tree.folder.in(target, func(newParent int, newBase string) error {
			return unix.Renameat2(parent, base, newParent, newBase, uint(flags))
		})
	}))
}

func (n *node) Readdir(context.Context) (fs.DirStream, syscall.Errno) {
	at, errno := n.path()
	if errno != 0 {
		return nil, errno
	}
	fd, err := n.tree.folder.open(at, unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, fs.ToErrno(err)
	}
	dir := os.NewFile(uintptr(fd), "")
	defer dir.Close()
	entries, err := dir.ReadDir(-1)
	if err != nil {
		return nil, fs.ToErrno(errors.Unwrap(err))
	}
	listed := make([]fuse.DirEntry, 0, len(entries))
	for _, entry := range entries {
		listed = append(listed, fuse.DirEntry{Name: entry.Name(), Mode: kindOf(entry.Type())})
	}
	return fs.NewListDirStream(listed), 0
}

func kindOf(mode os.FileMode) uint32 {
	switch {
	case mode.IsDir():
		return unix.S_IFDIR
	case mode&os.ModeSymlink != 0:
		return unix.S_IFLNK
	case mode&os.ModeNamedPipe != 0:
		return unix.S_IFIFO
	case mode&os.ModeSocket != 0:
		return unix.S_IFSOCK
	case mode&os.ModeDevice != 0:
		return unix.S_IFCHR
	default:
		return unix.S_IFREG
	}
}

func (n *node) Statfs(_ context.Context, out *fuse.StatfsOut) syscall.Errno {
	var stat syscall.Statfs_t
	if err := syscall.Fstatfs(n.tree.folder.root, &stat); err != nil {
		return fs.ToErrno(err)
	}
	out.FromStatfsT(&stat)
	return 0
}

// CopyFileRange works on files that were opened, each under the rule.
func (n *node) CopyFileRange(context.Context, fs.FileHandle, uint64, *fs.Inode, fs.FileHandle, uint64, uint64, uint64) (uint32, syscall.Errno) {
	// The kernel copies by reading and writing then.
	return 0, syscall.EOPNOTSUPP
}
