package files

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// repaired sets the checksum of every block that looks like a header: without it hardly anything
// that a fuzzer makes gets past the first look.
func repaired(archive []byte) []byte {
	archive = bytes.Clone(archive)
	for at := 0; at+blockSize <= len(archive); at += blockSize {
		block := archive[at : at+blockSize]
		if string(block[257:262]) != "ustar" {
			continue
		}
		sum := uint64(8 * ' ')
		for i, b := range block {
			if i < 148 || i >= 156 {
				sum += uint64(b)
			}
		}
		octal(block[148:154], sum, 1<<18-1)
		block[154], block[155] = 0, ' '
	}
	return archive
}

func seeds(f *testing.F) {
	f.Helper()
	for _, items := range [][]item{
		{regular("a", "content"), folder("b/"), symbolic("c", "a"), hard("d", "a")},
		{regular(strings.Repeat("long/", 40), "x")},
		{symbolic("a", ".."), regular("a/x", "")},
	} {
		f.Add(archiveOf(f, items...))
	}
	sparse := item{header{name: "s", kind: typeRegular, mode: 0o644, sparse: true, realSize: 100_000, size: 516}, "1\n500\n4\n" + strings.Repeat("\x00", 504) + "data"}
	f.Add(archiveOf(f, sparse))
	dir := f.TempDir()
	for _, command := range []string{
		"truncate -s 1M s && echo x | dd of=s bs=1 seek=70000 conv=notrunc 2>&1",
		"mkdir -p $(printf 'n%.0s' $(seq 120))/$(printf 'm%.0s' $(seq 120)) && ln -s $(printf 'l%.0s' $(seq 120)) l && ln s h",
	} {
		shell := exec.Command("sh", "-c", command)
		shell.Dir = dir
		if said, err := shell.CombinedOutput(); err != nil {
			f.Fatalf("%v: %s", err, said)
		}
	}
	for _, format := range []string{"--format=v7", "--format=ustar", "--format=gnu", "--format=gnu -S", "--format=posix", "--format=posix -S --sparse-version=0.0", "--format=posix -S --sparse-version=0.1", "--format=posix -S --sparse-version=1.0"} {
		archive, _ := exec.Command("tar", append(strings.Fields(format), "-C", dir, "-cf", "-", ".")...).Output()
		f.Add(archive) // v7 and ustar cannot hold the long names; what they wrote is a seed all the same
	}
}

func FuzzUnpack(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, archive []byte) { nothingOutside(t, repaired(archive)) })
}

// Two entries whose parts a fuzzer chooses, in blocks that are always in order.
func FuzzEntries(f *testing.F) {
	f.Add("", "a", "..", byte(typeSymlink), "a/x", "", byte(typeRegular), []byte("content"))
	f.Add(record("path", "long/name")+record("mtime", "-1.5"), "x", "", byte(typeRegular), "y", "long/name", byte(typeHardlink), []byte{})
	f.Add(record("GNU.sparse.major", "1")+record("GNU.sparse.minor", "0")+record("GNU.sparse.realsize", "100")+record("GNU.sparse.name", "s"),
		"x", "", byte(typeRegular), "d/", "", byte(typeFolder), append([]byte("1\n50\n1\n"), make([]byte, 505)...))
	f.Add(record("GNU.sparse.major", "0")+record("GNU.sparse.minor", "1")+record("GNU.sparse.size", "100")+record("GNU.sparse.map", "3,4"),
		"x", "", byte(typeRegular), "x/..", "", byte(typeLongName), []byte("four"))
	f.Fuzz(func(t *testing.T, records, name, link string, kind byte, name2, link2 string, kind2 byte, content []byte) {
		var archive []byte
		if records != "" {
			archive = extended(records, item{header{name: name, kind: kind, mode: 0o777, link: link, size: int64(len(content))}, string(content)})
		} else {
			archive = unended(item{header{name: name, kind: kind, mode: 0o777, link: link, size: int64(len(content))}, string(content)})
		}
		archive = append(archive, archiveOf(t, item{header{name: name2, kind: kind2, mode: 0o777, link: link2, size: int64(len(content))}, string(content)})...)
		readAlike(t, archive)
		nothingOutside(t, archive)
	})
}

func nothingOutside(t *testing.T, archive []byte) {
	t.Helper()
	dir, err := os.MkdirTemp("", "unpack")
	ok(t, err)
	defer os.RemoveAll(dir)
	ok(t, os.Mkdir(dir+"/target", 0o755))
	ok(t, os.Mkdir(dir+"/again", 0o755))
	err = unpackOnce(t, dir+"/target", archive)
	if err != nil && CodeOf(err) == Internal {
		t.Errorf("not an error of ours: %v", err)
	}
	entries := must[[]os.DirEntry](t)(os.ReadDir(dir))
	if len(entries) != 2 || entries[0].Name() != "again" || entries[1].Name() != "target" {
		t.Errorf("beside the target: %v", entries)
	}
	if err != nil {
		return
	}
	// Whatever came in goes out and in again.
	var packed bytes.Buffer
	from := openDirOnce(t, dir+"/target")
	defer unix.Close(from)
	if _, err := Pack(context.Background(), from, &packed); err != nil {
		t.Errorf("what was unpacked cannot be packed: %v", err)
	}
	if err := unpackOnce(t, dir+"/again", packed.Bytes()); err != nil {
		t.Errorf("what was packed cannot be unpacked: %v", err)
	}
}

func unpackOnce(t *testing.T, dir string, archive []byte) error {
	t.Helper()
	fd := openDirOnce(t, dir)
	defer unix.Close(fd)
	_, err := Unpack(context.Background(), fd, bytes.NewReader(archive), Unpacking{})
	return err
}

// What archive/tar and we both read, we read alike; names are ours to refuse later.
func FuzzArchiveReader(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, archive []byte) { readAlike(t, repaired(archive)) })
}

func readAlike(t *testing.T, archive []byte) {
	t.Helper()
	ours, theirs := oursOf(archive), theirsOf(archive)
	for i := range min(len(ours), len(theirs)) {
		if ours[i] != theirs[i] {
			t.Fatalf("entry %d: we read\n%s\nthey\n%s", i, ours[i], theirs[i])
		}
	}
}

// A file of more than this is only looked at from outside: a sparse one may say that it has exabytes.
const comparedMost = 4 << 20

func oursOf(archive []byte) (entries []string) {
	a := newArchiveReader(bytes.NewReader(archive))
	var h archived
	for a.next(&h) == nil {
		if !bearsContent(h.kind) {
			h.size = 0
		}
		entry := fmt.Sprintf("%q %q %c %o %d %d %d", h.name, h.link, h.kind, h.mode, h.size, h.uid, h.gid)
		if h.size <= comparedMost {
			content := make([]byte, h.size)
			regions := h.regions
			if !h.sparse {
				regions = []region{{0, h.size}}
			}
			for _, r := range regions {
				for r.from < r.to {
					b, err := a.window(r.to - r.from)
					if err != nil || len(b) == 0 {
						return entries
					}
					copy(content[r.from:], b)
					r.from += int64(len(b))
				}
			}
			if bearsContent(h.kind) {
				entry += fmt.Sprintf(" %q", content)
			}
		}
		entries = append(entries, entry)
	}
	return entries
}

func bearsContent(kind byte) bool { return kind == typeRegular || kind == typeContiguous }

func theirsOf(archive []byte) (entries []string) {
	r := tar.NewReader(bytes.NewReader(archive))
	for {
		h, err := r.Next()
		if err != nil && !errors.Is(err, tar.ErrInsecurePath) {
			return entries
		}
		if h.Typeflag == tar.TypeXGlobalHeader {
			continue
		}
		kind := h.Typeflag
		if kind == tar.TypeGNUSparse {
			kind = typeRegular
		}
		if !bearsContent(kind) {
			h.Size = 0
		}
		entry := fmt.Sprintf("%q %q %c %o %d %d %d", h.Name, h.Linkname, kind, h.Mode&modeBits, h.Size, h.Uid, h.Gid)
		if h.Size <= comparedMost {
			content, err := io.ReadAll(r)
			if err != nil {
				return entries
			}
			if bearsContent(kind) {
				entry += fmt.Sprintf(" %q", content)
			}
		}
		entries = append(entries, entry)
	}
}
