package files

import (
	"context"
	"io"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Bounds of an archive, the same in both directions so that what is packed can be unpacked.
const (
	// NameMost is how long a name in an archive may be: what Linux takes as one path.
	NameMost = unix.PathMax - 1
	// ComponentMost is how long each part of a name may be.
	ComponentMost = 255
	// ArchiveEntriesMost is how many entries an archive may hold.
	ArchiveEntriesMost = 5_000_000
)

// Report counts what went through.
type Report struct {
	Entries uint64
	Bytes   uint64 // of the archive
	Skipped uint64 // sockets, FIFOs and devices, which an archive of ours does not hold
}

// Pack writes what lies beneath the open folder dir as a tar to `to`, in writes of 256 KiB, the
// last one shorter. Names are relative to the folder, which has no entry itself. Links are packed
// as links and never followed, files with several names in the folder as hard links, holes as
// holes (GNU sparse format PAX 1.0), times to the nanosecond.
//
// Folders may change meanwhile: what vanishes is left out, a file that shrinks is filled up with
// zeros, one that grows is cut. A folder or file that may not be read ends it with Denied.
// Errors of `to` come back as they are. It runs with the calling thread's rights.
func Pack(ctx context.Context, dir int, to io.Writer) (Report, error) {
	p := newPacker(ctx, dir, to)
	p.waiting = []string{"."}
	if err := p.folders(); err != nil {
		return p.report, err
	}
	return p.end()
}

type packer struct {
	ctx     context.Context
	tree    *tree
	out     output
	entries []byte
	waiting []string // folders that are still to be read, the last one next
	links   map[inode]link
	regions []region
	header  header
	scratch []byte
	report  Report
}

type inode struct{ device, number uint64 }

// link is a file with more names of which some were not met yet.
type link struct {
	name string
	left uint64
}

func newPacker(ctx context.Context, dir int, to io.Writer) *packer {
	return &packer{
		ctx:     ctx,
		tree:    newTree(dir),
		out:     output{to: to, buffer: make([]byte, 0, transferBuffer)},
		entries: make([]byte, folderBuffer),
		links:   map[inode]link{},
	}
}

func (p *packer) end() (Report, error) {
	err := p.out.write(zeros[:])
	if err == nil {
		err = p.out.write(zeros[:])
	}
	if err == nil {
		err = p.out.flush()
	}
	p.report.Bytes = p.out.bytes
	return p.report, err
}

func (p *packer) folders() error {
	for len(p.waiting) > 0 {
		last := len(p.waiting) - 1
		path := p.waiting[last]
		p.waiting = p.waiting[:last]
		if err := p.folder(path); err != nil {
			return err
		}
	}
	return nil
}

func (p *packer) folder(path string) error {
	fd, err := p.tree.open(path, openFolder)
	if vanished(err) {
		return nil
	}
	if err != nil {
		return failure("read the folder", path, err)
	}
	defer unix.Close(fd)
	prefix := ""
	if path != "." {
		prefix = path + "/"
		var st unix.Stat_t
		if err := unix.Fstat(fd, &st); err != nil {
			return failure("read the folder", path, err)
		}
		if err := p.head(prefix, typeFolder, &st); err != nil {
			return err
		}
	}
	reader := newFolderReader(fd, p.entries)
	for {
		entry, ok, err := reader.next()
		if err != nil {
			return failure("read the folder", path, err)
		}
		if !ok {
			return nil
		}
		if err := p.entry(fd, entry, prefix+entry.name); err != nil {
			return err
		}
	}
}

// vanished tells that an entry is gone, or became something else between two looks.
func vanished(err error) bool {
	return err == unix.ENOENT || err == unix.ENOTDIR || err == unix.ELOOP || err == unix.ENXIO || err == unix.ESTALE
}

func (p *packer) entry(dir int, entry dirent, path string) error {
	if err := p.ctx.Err(); err != nil {
		return err
	}
	if len(path) >= NameMost { // a folder's name gets a slash behind it
		return invalid("pack a folder further down", "the name %s… is too long for an archive", quoted(path[:128]))
	}
	kind, err := entry.kindIn(dir)
	if vanished(err) {
		return nil
	}
	if err != nil {
		return failure("look at", path, err)
	}
	switch kind {
	case unix.DT_DIR:
		p.waiting = append(p.waiting, path)
		return nil
	case unix.DT_REG:
		return p.file(dir, entry.name, path)
	case unix.DT_LNK:
		return p.symlink(dir, entry.name, path)
	}
	p.report.Skipped++
	return nil
}

// head writes the header of an entry that has no content, or whose content follows.
func (p *packer) head(name string, kind byte, st *unix.Stat_t) error {
	p.header.name, p.header.kind = name, kind
	p.header.mode, p.header.uid, p.header.gid = st.Mode&modeBits, st.Uid, st.Gid
	p.header.modifiedNs = st.Mtim.Nano()
	defer func() { p.header = header{} }()
	if p.report.Entries++; p.report.Entries > ArchiveEntriesMost {
		return invalid("copy parts of the folder by themselves", "the folder holds more than %d entries", ArchiveEntriesMost)
	}
	p.scratch = p.header.appendTo(p.scratch[:0])
	return p.out.write(p.scratch)
}

func (p *packer) symlink(dir int, name, path string) error {
	var st unix.Stat_t
	err := unix.Fstatat(dir, name, &st, unix.AT_SYMLINK_NOFOLLOW)
	target := ""
	if err == nil {
		target, err = readLink(dir, name)
	}
	if vanished(err) || err == unix.EINVAL { // no link any more
		return nil
	}
	if err != nil {
		return failure("read the link", path, err)
	}
	if st.Mode&unix.S_IFMT != unix.S_IFLNK {
		return nil
	}
	p.header.link = target
	return p.head(path, typeSymlink, &st)
}

func (p *packer) file(dir int, name, path string) error {
	// O_NONBLOCK: it may be a FIFO by now.
	fd, err := open(dir, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
	if vanished(err) {
		return nil
	}
	if err != nil {
		return failure("read", path, err)
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return failure("read", path, err)
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG {
		p.report.Skipped++
		return nil
	}
	if st.Nlink > 1 {
		if first, again := p.linked(path, &st); again {
			p.header.link = first
			return p.head(path, typeHardlink, &st)
		}
	}
	if p.regions = p.regions[:0]; st.Size >= sparseLeast && st.Blocks*512 < st.Size {
		if p.regions, err = dataRegions(fd, st.Size, p.regions); err != nil {
			return failure("read", path, err)
		}
		whole := len(p.regions) == 1 && p.regions[0] == region{0, st.Size}
		if !whole {
			return p.sparse(fd, path, &st)
		}
	}
	p.header.size = st.Size
	if err := p.head(path, typeRegular, &st); err != nil {
		return err
	}
	if err := p.content(fd, path, 0, st.Size); err != nil {
		return err
	}
	return p.out.write(zeros[:padding(st.Size)])
}

// linked gives the name under which the same file was packed, and remembers it if it was not. A
// file whose names were all met is forgotten.
func (p *packer) linked(path string, st *unix.Stat_t) (string, bool) {
	key := inode{uint64(st.Dev), st.Ino}
	known, again := p.links[key]
	if !again {
		p.links[key] = link{path, uint64(st.Nlink) - 1}
		return "", false
	}
	if known.left--; known.left == 0 {
		delete(p.links, key)
	} else {
		p.links[key] = known
	}
	return known.name, true
}

// content copies length bytes of a file from offset on, zeros where it has become shorter.
func (p *packer) content(fd int, path string, offset, length int64) error {
	for length > 0 {
		room, err := p.out.room()
		if err != nil {
			return err
		}
		room = room[:min(int64(len(room)), length)]
		n, err := unix.Pread(fd, room, offset)
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return failure("read", path, err)
		case n == 0:
			clear(room)
			n = len(room)
		}
		p.out.took(n)
		offset, length = offset+int64(n), length-int64(n)
		if err := p.ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// region is a part of a file that holds data.
type region struct{ from, to int64 }

const (
	// Below this a hole saves nothing worth the map.
	sparseLeast = 64 << 10
	// With more regions neighbours are joined, holes between them written out: a reader may bound
	// the map (Go's at 1 MiB of text).
	regionsMost = 20_000
)

// dataRegions asks the file system where a file has data.
func dataRegions(fd int, size int64, regions []region) ([]region, error) {
	for at := int64(0); at < size; {
		from, err := unix.Seek(fd, at, unix.SEEK_DATA)
		if err == unix.ENXIO { // nothing but a hole from here
			break
		}
		if err == unix.EINVAL { // not known on this file system
			return append(regions[:0], region{0, size}), nil
		}
		if err != nil {
			return nil, err
		}
		to, err := unix.Seek(fd, from, unix.SEEK_HOLE)
		if err == unix.ENXIO { // it was cut meanwhile
			to, err = size, nil
		}
		if err != nil {
			return nil, err
		}
		if from >= size {
			break
		}
		to = min(to, size)
		if len(regions) == regionsMost {
			for i := 0; i < regionsMost/2; i++ {
				regions[i] = region{regions[2*i].from, regions[2*i+1].to}
			}
			regions = regions[:regionsMost/2]
		}
		regions = append(regions, region{from, to})
		at = to
	}
	return regions, nil
}

// sparse writes a file with holes: the map (how many regions, then offset and length of each, a
// number a line, filled up to a block), then the regions one after the other.
func (p *packer) sparse(fd int, path string, st *unix.Stat_t) error {
	regions := p.regions
	// The map ends with an empty region at the size when a hole is last, as GNU tar writes it.
	if n := len(regions); n == 0 || regions[n-1].to < st.Size {
		regions = append(regions, region{st.Size, st.Size})
	}
	var text []byte
	size := int64(0)
	text = strconv.AppendInt(text, int64(len(regions)), 10)
	text = append(text, '\n')
	for _, r := range regions {
		text = strconv.AppendInt(text, r.from, 10)
		text = append(text, '\n')
		text = strconv.AppendInt(text, r.to-r.from, 10)
		text = append(text, '\n')
		size += r.to - r.from
	}
	text = appendPadding(text, len(text))
	p.header.sparse, p.header.realSize = true, st.Size
	p.header.size = int64(len(text)) + size
	if err := p.head(path, typeRegular, st); err != nil {
		return err
	}
	if err := p.out.write(text); err != nil {
		return err
	}
	for _, r := range regions {
		if err := p.content(fd, path, r.from, r.to-r.from); err != nil {
			return err
		}
	}
	p.regions = regions
	return p.out.write(zeros[:padding(size)])
}

// output gathers an archive into writes of one size.
type output struct {
	to     io.Writer
	buffer []byte
	bytes  uint64
}

// room gives space to fill; took says how much was.
func (o *output) room() ([]byte, error) {
	if len(o.buffer) == cap(o.buffer) {
		if err := o.flush(); err != nil {
			return nil, err
		}
	}
	return o.buffer[len(o.buffer):cap(o.buffer)], nil
}

func (o *output) took(n int) { o.buffer = o.buffer[:len(o.buffer)+n] }

func (o *output) write(b []byte) error {
	for len(b) > 0 {
		room, err := o.room()
		if err != nil {
			return err
		}
		n := copy(room, b)
		o.took(n)
		b = b[n:]
	}
	return nil
}

func (o *output) flush() error {
	if len(o.buffer) == 0 {
		return nil
	}
	_, err := o.to.Write(o.buffer)
	o.bytes += uint64(len(o.buffer))
	o.buffer = o.buffer[:0]
	return err
}

func (t *Transfer) checkPullTar() (Info, error) {
	var info Info
	err := t.caller.as(func() error {
		fd, err := open(unix.AT_FDCWD, t.path, openFolder, 0)
		if err == unix.ENOTDIR {
			return invalid("copy it as a file", "%s is not a folder", quoted(t.path))
		}
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		var st unix.Stat_t
		if err := unix.Fstat(fd, &st); err != nil {
			return err
		}
		info = infoOf(t.path, &st)
		return nil
	})
	return info, failure("read the folder", t.path, err)
}

func (t *Transfer) sendTar(ctx context.Context, to io.Writer) error {
	return t.caller.as(func() error {
		fd, err := open(unix.AT_FDCWD, t.path, openFolder, 0)
		if err != nil {
			return failure("read the folder", t.path, err)
		}
		defer unix.Close(fd)
		_, err = Pack(ctx, fd, to)
		return within(t.path, err)
	})
}

// within puts the folder's path before a message that knows only the name inside.
func within(folder string, err error) error {
	e, ok := err.(*Error)
	if !ok {
		return err
	}
	told := *e
	told.Message += " (in " + quoted(strings.TrimRight(folder, "/")+"/") + ")"
	return &told
}
