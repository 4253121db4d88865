package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func packed(t *testing.T, dir string) []byte {
	t.Helper()
	var archive bytes.Buffer
	report, err := Pack(context.Background(), openDir(t, dir), &archive)
	ok(t, err)
	if report.Bytes != uint64(archive.Len()) {
		t.Fatalf("reported %d bytes of %d", report.Bytes, archive.Len())
	}
	return archive.Bytes()
}

func unpack(t testing.TB, dir string, archive []byte) error {
	t.Helper()
	_, err := Unpack(context.Background(), openDir(t, dir), bytes.NewReader(archive), Unpacking{})
	return err
}

// described says everything about a tree that a copy must keep, a line for each entry.
func described(t *testing.T, dir string) string {
	t.Helper()
	var lines []string
	first := map[uint64]string{}
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		var st unix.Stat_t
		if err := unix.Lstat(path, &st); err != nil {
			return err
		}
		name := path[len(dir):]
		line := fmt.Sprintf("%q %o %d", name, st.Mode, st.Mtim.Nano())
		switch st.Mode & unix.S_IFMT {
		case unix.S_IFREG:
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			line += fmt.Sprintf(" %d %q", st.Size, content[:min(len(content), 100)])
			if st.Nlink > 1 {
				if first[st.Ino] == "" {
					first[st.Ino] = name
				}
				line += " = " + first[st.Ino]
			}
		case unix.S_IFLNK:
			target, err := os.Readlink(path)
			if err != nil {
				return err
			}
			line += fmt.Sprintf(" -> %q", target)
		}
		lines = append(lines, line)
		return nil
	})
	ok(t, err)
	return strings.Join(lines, "\n")
}

func setTime(t *testing.T, path string, ns int64) {
	t.Helper()
	times := modifiedOnly(ns)
	ok(t, unix.UtimesNanoAt(unix.AT_FDCWD, path, times[:], unix.AT_SYMLINK_NOFOLLOW))
}

// specimen holds one of everything.
func specimen(t *testing.T) string {
	t.Helper()
	_, dir := here(t)
	dir += "/specimen"
	write(t, dir+"/file", "content")
	write(t, dir+"/empty", "")
	write(t, dir+"/exact", strings.Repeat("x", 1024))
	write(t, dir+"/"+strings.Repeat("n", 100), "100")
	write(t, dir+"/"+strings.Repeat("n", 255), "255")
	write(t, dir+"/"+strings.Repeat(strings.Repeat("d", 250)+"/", 10)+"deep", "deep")
	write(t, dir+"/\xff\xfe invalid\n=UTF-8", "bytes")
	write(t, dir+"/ünïcödé", "unicode")
	write(t, dir+"/folder/inner", "inner")
	write(t, dir+"/sealed/inner", "sealed")
	ok(t, os.Mkdir(dir+"/hollow", 0o700))
	ok(t, os.Link(dir+"/file", dir+"/folder/second-name"))
	ok(t, os.Link(dir+"/file", dir+"/third-name"))
	ok(t, os.Symlink("../file", dir+"/folder/link"))
	ok(t, os.Symlink("/etc/passwd", dir+"/absolute-link"))
	ok(t, os.Symlink(strings.Repeat("l", 1000), dir+"/long-link"))
	ok(t, os.Symlink("\xff\n", dir+"/odd-link"))
	ok(t, os.Chmod(dir+"/exact", 0o751))
	setTime(t, dir+"/exact", 1_600_000_000_000_000_000)
	setTime(t, dir+"/empty", -1_500_000_000)
	setTime(t, dir+"/folder/link", 1_234_567_890_987_654_321)
	setTime(t, dir+"/hollow", 1_234_567_890_000_000_001)
	setTime(t, dir+"/folder", 1_000_000_000_100_000_000)
	ok(t, os.Chmod(dir+"/sealed", 0o555))
	t.Cleanup(func() { os.Chmod(dir+"/sealed", 0o755) })
	return dir
}

func target(t *testing.T) string {
	t.Helper()
	_, dir := here(t)
	dir += "/target"
	ok(t, os.Mkdir(dir, 0o755))
	t.Cleanup(func() { // what was unpacked without write permission
		filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				os.Chmod(path, 0o755)
			}
			return nil
		})
	})
	return dir
}

func TestATreeComesOutAsItWentIn(t *testing.T) {
	from, to := specimen(t), target(t)
	ok(t, unpack(t, to, packed(t, from)))
	same(t, described(t, to), described(t, from))
	// Again over itself: everything is replaced, nothing is left over.
	ok(t, unpack(t, to, packed(t, from)))
	same(t, described(t, to), described(t, from))
}

func TestUnpackingWorksWithoutOpenat2Too(t *testing.T) {
	from, to := specimen(t), target(t)
	u := newUnpacker(context.Background(), openDir(t, to), bytes.NewReader(packed(t, from)), Unpacking{})
	u.tree.byComponent = true
	_, err := u.all()
	ok(t, err)
	same(t, described(t, to), described(t, from))
	outside := target(t)
	ok(t, os.Symlink(outside, to+"/out"))
	u = newUnpacker(context.Background(), openDir(t, to), bytes.NewReader(archiveOf(t, regular("out/x", "bad"))), Unpacking{})
	u.tree.byComponent = true
	_, err = u.all()
	wantCode(t, err, InvalidArgument, "out/x")
	if got := described(t, outside); got != "" {
		t.Fatalf("outside: %s", got)
	}
}

// GNU tar is what people have; it must read ours, and we its.
func TestGnuTarAndWeReadEachOther(t *testing.T) {
	from := specimen(t)
	to := target(t)
	gnu := exec.Command("tar", "-C", to, "-xpf", "-")
	gnu.Stdin = bytes.NewReader(packed(t, from))
	if said, err := gnu.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	same(t, described(t, to), described(t, from))
	for _, format := range []string{"posix", "gnu"} {
		to := target(t)
		archive := must[[]byte](t)(exec.Command("tar", "-C", from, "--format="+format, "-cf", "-", ".").Output())
		ok(t, unpack(t, to, archive))
		got, want := described(t, to), described(t, from)
		if format == "gnu" { // whole seconds only
			got, want = withoutTimes(got), withoutTimes(want)
		}
		same(t, got, want)
	}
}

var timeOfLine = regexp.MustCompile(`(?m)(" \d+) -?\d+`)

func withoutTimes(description string) string {
	return timeOfLine.ReplaceAllString(description, "$1")
}

func same(t *testing.T, got, want string) {
	t.Helper()
	gots, wants := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(gots), len(wants)) {
		if i >= len(gots) || i >= len(wants) || gots[i] != wants[i] {
			t.Fatalf("line %d of %d and %d differs: got\n%s\nwant\n%s", i, len(gots), len(wants),
				slices.Concat(gots, []string{"nothing"})[min(i, len(gots))], slices.Concat(wants, []string{"nothing"})[min(i, len(wants))])
		}
	}
}

func sparseFile(t *testing.T, path string, size int64, at ...int64) {
	t.Helper()
	file := must[*os.File](t)(os.Create(path))
	defer file.Close()
	for _, offset := range at {
		must[int](t)(file.WriteAt([]byte(fmt.Sprintf("data at %d", offset)), offset))
	}
	ok(t, file.Truncate(size))
}

func blocks(t *testing.T, path string) int64 {
	t.Helper()
	var st unix.Stat_t
	ok(t, unix.Stat(path, &st))
	return st.Blocks * 512
}

func TestHolesStayHolesBetweenAllReadersAndWriters(t *testing.T) {
	_, from := here(t)
	sparseFile(t, from+"/middle", 64<<20, 1<<20, 50<<20)
	sparseFile(t, from+"/start", 8<<20, 0)
	sparseFile(t, from+"/end", 8<<20+9, 8<<20)
	sparseFile(t, from+"/nothing", 8<<20)
	sparseFile(t, from+"/"+strings.Repeat("n", 200), 8<<20, 5000)
	ours := packed(t, from)
	if len(ours) > 1<<20 {
		t.Fatalf("holes were written out: %d bytes", len(ours))
	}
	check := func(t *testing.T, to string) {
		t.Helper()
		for _, entry := range must[[]os.DirEntry](t)(os.ReadDir(from)) {
			name := entry.Name()
			if blocks(t, to+"/"+name) > 1<<20 {
				t.Errorf("%s takes %d bytes", name, blocks(t, to+"/"+name))
			}
			if said, err := exec.Command("cmp", from+"/"+name, to+"/"+name).CombinedOutput(); err != nil {
				t.Errorf("%s differs: %s", name, said)
			}
		}
	}
	t.Run("ours to ours", func(t *testing.T) {
		to := target(t)
		ok(t, unpack(t, to, ours))
		check(t, to)
	})
	t.Run("ours to GNU tar", func(t *testing.T) {
		to := target(t)
		gnu := exec.Command("tar", "-C", to, "-xf", "-")
		gnu.Stdin = bytes.NewReader(ours)
		if said, err := gnu.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, said)
		}
		check(t, to)
	})
	for _, format := range []string{"--format=gnu", "--format=posix --sparse-version=0.0", "--format=posix --sparse-version=0.1", "--format=posix --sparse-version=1.0"} {
		t.Run("GNU tar to ours "+format, func(t *testing.T) {
			to := target(t)
			arguments := append(strings.Fields(format), "-C", from, "--sparse", "-cf", "-", ".")
			ok(t, unpack(t, to, must[[]byte](t)(exec.Command("tar", arguments...).Output())))
			check(t, to)
		})
	}
}

func TestAFileInManyPiecesIsPackedInABoundedMap(t *testing.T) {
	_, from := here(t)
	file := must[*os.File](t)(os.Create(from + "/pieces"))
	const pieces = regionsMost + 1000
	for i := range int64(pieces) {
		must[int](t)(file.WriteAt([]byte{1}, i*16384))
	}
	ok(t, file.Truncate(pieces*16384))
	ok(t, file.Close())
	to := target(t)
	ok(t, unpack(t, to, packed(t, from)))
	if said, err := exec.Command("cmp", from+"/pieces", to+"/pieces").CombinedOutput(); err != nil {
		t.Fatalf("differs: %s", said)
	}
}

func TestSocketsAndFifosAreLeftOutOfAnArchive(t *testing.T) {
	_, dir := here(t)
	ok(t, unix.Mkfifo(dir+"/fifo", 0o600))
	fd := must[int](t)(unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0))
	defer unix.Close(fd)
	at := must[int](t)(unix.Open(dir, unix.O_PATH, 0))
	defer unix.Close(at)
	ok(t, unix.Bind(fd, &unix.SockaddrUnix{Name: fmt.Sprintf("/proc/self/fd/%d/socket", at)}))
	write(t, dir+"/file", "")
	var archive bytes.Buffer
	report, err := Pack(context.Background(), openDir(t, dir), &archive)
	if err != nil || report.Skipped != 2 || report.Entries != 1 {
		t.Fatalf("%+v %v", report, err)
	}
}

func TestAFileThatChangesWhileItIsPackedKeepsTheArchiveWhole(t *testing.T) {
	_, dir := here(t)
	write(t, dir+"/shrinks", strings.Repeat("s", 2*transferBuffer))
	write(t, dir+"/grows", strings.Repeat("g", 2*transferBuffer))
	write(t, dir+"/vanishes/inner", "")
	// The first buffer is given away while the first of the files is half read.
	meddling := writerFunc(func(b []byte) (int, error) {
		ok(t, os.Truncate(dir+"/shrinks", 10))
		file := must[*os.File](t)(os.OpenFile(dir+"/grows", os.O_APPEND|os.O_WRONLY, 0))
		defer file.Close()
		must[int](t)(file.WriteString("more"))
		ok(t, os.RemoveAll(dir+"/vanishes"))
		return len(b), nil
	})
	var archive bytes.Buffer
	_, err := Pack(context.Background(), openDir(t, dir), io.MultiWriter(&archive, meddling))
	ok(t, err)
	to := target(t)
	ok(t, unpack(t, to, archive.Bytes()))
	for _, name := range []string{"shrinks", "grows"} {
		if size := len(read(t, to+"/"+name)); size != 10 && size < 2*transferBuffer {
			t.Errorf("%s has %d bytes", name, size)
		}
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

func TestAnErrorOfTheStreamComesBackAsItIs(t *testing.T) {
	from, to := specimen(t), target(t)
	broken := errors.New("the stream broke")
	_, err := Pack(context.Background(), openDir(t, from), writerFunc(func([]byte) (int, error) { return 0, broken }))
	if err != broken {
		t.Fatal(err)
	}
	archive := packed(t, from)
	for cut := 0; cut < len(archive); cut += 700 {
		_, err = Unpack(context.Background(), openDir(t, to), io.MultiReader(bytes.NewReader(archive[:cut]), failing{broken}), Unpacking{})
		if !errors.Is(err, broken) {
			t.Fatalf("cut at %d: %v", cut, err)
		}
	}
}

func TestAnArchiveThatIsCutShortAnywhereIsAnError(t *testing.T) {
	_, from := here(t)
	write(t, from+"/zeros", strings.Repeat("\x00", 4096))
	write(t, from+"/file", "content")
	archive := packed(t, from)
	to := target(t)
	for cut := range archive {
		if at := cut % blockSize; at > 1 && at != 100 && at < blockSize-1 {
			continue
		}
		err := unpack(t, to, archive[:cut])
		if err == nil {
			t.Fatalf("%d of %d bytes passed", cut, len(archive))
		}
		wantCode(t, err, InvalidArgument, "cut short")
	}
	ok(t, unpack(t, target(t), archive))
	ok(t, unpack(t, target(t), append(slices.Clone(archive), make([]byte, 9000)...)))
}

func TestAPushAndAPullOfAFolderGoThroughTransfers(t *testing.T) {
	from := specimen(t)
	c, dir := here(t)
	archive, err := pull(t, c, Copy{Shape: Tar, Path: from})
	ok(t, err)
	wantCode(t, push(t, c, Copy{Shape: Tar, Path: "new/folder"}, bytes.NewReader(archive)), NotFound, "new/folder")
	ok(t, push(t, c, Copy{Shape: Tar, Path: "new/folder", MakeParents: true}, bytes.NewReader(archive)))
	same(t, described(t, dir+"/new/folder"), described(t, from))
	write(t, dir+"/file", "")
	_, err = pull(t, c, Copy{Shape: Tar, Path: "file"})
	wantCode(t, err, InvalidArgument, "not a folder")
	wantCode(t, push(t, c, Copy{Shape: Tar, Path: "file"}, bytes.NewReader(archive)), InvalidArgument, "not a folder")
	ok(t, os.Chmod(dir+"/new/folder/sealed", 0o755))
}

// item is an entry of a made archive; its header is written by hand, since no tar writer makes
// what an attacker does.
type item struct {
	header
	content string
}

func regular(name, content string) item {
	return item{header{name: name, kind: typeRegular, mode: 0o644, size: int64(len(content))}, content}
}

func folder(name string) item {
	return item{header{name: name, kind: typeFolder, mode: 0o755}, ""}
}

func symbolic(name, target string) item {
	return item{header{name: name, kind: typeSymlink, mode: 0o777, link: target}, ""}
}

func hard(name, target string) item {
	return item{header{name: name, kind: typeHardlink, mode: 0o644, link: target}, ""}
}

func archiveOf(t testing.TB, items ...item) []byte {
	t.Helper()
	return append(unended(items...), make([]byte, 2*blockSize)...)
}

// unended is an archive without its end.
func unended(items ...item) []byte {
	var archive []byte
	for _, each := range items {
		archive = each.appendTo(archive)
		archive = append(archive, each.content...)
		archive = appendPadding(archive, len(each.content))
	}
	return archive
}
