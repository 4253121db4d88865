package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func here(t *testing.T) (Caller, string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return Caller{UID: uint32(os.Geteuid()), GID: uint32(os.Getegid()), Home: dir, Cwd: dir}, dir
}

func must[T any](t *testing.T) func(T, error) T {
	return func(value T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantCode(t *testing.T, err error, code Code, mentions string) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("got %v, want an error of code %s", err, code)
	}
	if e.Code != code || !strings.Contains(e.Message, mentions) {
		t.Fatalf("got %s %q, want %s about %q", e.Code, e.Message, code, mentions)
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	ok(t, os.MkdirAll(filepath.Dir(path), 0o755))
	ok(t, os.WriteFile(path, []byte(content), 0o644))
}

func read(t *testing.T, path string) string {
	t.Helper()
	return string(must[[]byte](t)(os.ReadFile(path)))
}

func TestStatTellsALinkFromWhatItPointsTo(t *testing.T) {
	c, dir := here(t)
	write(t, dir+"/file", "12345")
	ok(t, os.Chmod(dir+"/file", 0o640|os.ModeSetuid))
	ok(t, os.Symlink("file", dir+"/link"))

	link := must[Info](t)(c.Stat("link", false))
	if link.Type != Symlink || link.LinkTarget != "file" || link.Path != dir+"/link" {
		t.Fatalf("got %+v", link)
	}
	file := must[Info](t)(c.Stat("link", true))
	if file.Type != Regular || file.Size != 5 || file.Mode != 0o4640 || file.ModifiedNs == 0 {
		t.Fatalf("got %+v", file)
	}
	_, err := c.Stat("missing", true)
	wantCode(t, err, NotFound, dir+"/missing")
	_, err = c.Stat("file/below", true)
	wantCode(t, err, InvalidArgument, "not a folder")
	_, err = c.Stat("", true)
	wantCode(t, err, InvalidArgument, "empty")
	_, err = c.Stat("a\x00b", true)
	wantCode(t, err, InvalidArgument, "NUL")
	_, err = Caller{}.Stat("relative", true)
	wantCode(t, err, InvalidArgument, "relative")
}

func TestNamesOfInvalidUTF8AreKeptByteForByte(t *testing.T) {
	c, dir := here(t)
	name := "\xff\xfe-\x01\n"
	write(t, dir+"/"+name, "")
	entries, _, err := c.List(context.Background(), ".", 1, 0, "")
	ok(t, err)
	if len(entries) != 1 || entries[0].Path != dir+"/./"+name {
		t.Fatalf("got %+v", entries)
	}
}

func paths(entries []Info, base string) []string {
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimPrefix(e.Path, base+"/"))
	}
	return names
}

func TestListIsSortedAndPagesWithoutLossOrRepetition(t *testing.T) {
	c, dir := here(t)
	for _, name := range []string{"b/2", "b/1/x", "b/1/y", "b.txt", "a", "c/z", "b-"} {
		write(t, dir+"/"+name, "")
	}
	ok(t, os.Symlink("/", dir+"/b/link"))
	want := []string{"a", "b", "b/1", "b/1/x", "b/1/y", "b/2", "b/link", "b-", "b.txt", "c", "c/z"}
	for most := uint32(1); most <= 12; most++ {
		var got []string
		after := ""
		for pages := 0; ; pages++ {
			if pages > 20 {
				t.Fatal("the pages do not end")
			}
			entries, truncated, err := c.List(context.Background(), dir, 5, most, after)
			ok(t, err)
			got = append(got, paths(entries, dir)...)
			if !truncated {
				break
			}
			if len(entries) != int(most) {
				t.Fatalf("a page of %d that is not the last holds %d", most, len(entries))
			}
			after = entries[len(entries)-1].Path
		}
		// Names sort within their folder, and a folder's entries follow it: "b" before "b-".
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("pages of %d gave %v, want %v", most, got, want)
		}
	}
	flat, truncated, err := c.List(context.Background(), dir, 0, 0, "")
	ok(t, err)
	if fmt.Sprint(paths(flat, dir)) != "[a b b- b.txt c]" || truncated {
		t.Fatalf("got %v %v", paths(flat, dir), truncated)
	}
	_, _, err = c.List(context.Background(), dir, 0, 0, "/elsewhere")
	wantCode(t, err, InvalidArgument, "/elsewhere")
	_, _, err = c.List(context.Background(), dir, DepthMost+1, 0, "")
	wantCode(t, err, InvalidArgument, "depth")
	_, _, err = c.List(context.Background(), dir+"/a", 0, 0, "")
	wantCode(t, err, InvalidArgument, "/a")
}

func TestAPageNeverOutgrowsAMessage(t *testing.T) {
	c, dir := here(t)
	deep := dir + "/" + strings.Repeat(strings.Repeat("d", 200)+"/", 12)
	ok(t, os.MkdirAll(deep, 0o755))
	for i := range 2000 {
		write(t, fmt.Sprintf("%s/%04d", deep, i), "")
	}
	count, after := 0, ""
	for {
		entries, truncated, err := c.List(context.Background(), deep, 0, 0, after)
		ok(t, err)
		size := 0
		for _, e := range entries {
			size += len(e.Path)
		}
		if size > 4<<20 {
			t.Fatalf("a page of %d bytes", size)
		}
		count += len(entries)
		if !truncated {
			break
		}
		after = entries[len(entries)-1].Path
	}
	if count != 2000 {
		t.Fatalf("got %d entries", count)
	}
}

func TestMakeDirectoryGivesTheModeWhateverTheUmask(t *testing.T) {
	c, dir := here(t)
	old := unix.Umask(0o077)
	defer unix.Umask(old)
	if created, err := c.MakeDirectory("new", false, 0o1777); err != nil || !created {
		t.Fatal(created, err)
	}
	if info := must[Info](t)(c.Stat("new", false)); info.Mode != 0o1777 {
		t.Fatalf("mode %#o", info.Mode)
	}
	_, err := c.MakeDirectory("new", false, 0)
	wantCode(t, err, AlreadyExists, dir+"/new")
	_, err = c.MakeDirectory("x/y/z", false, 0)
	wantCode(t, err, NotFound, "x/y/z")
	if created, err := c.MakeDirectory("x/y/z", true, 0o700); err != nil || !created {
		t.Fatal(created, err)
	}
	if created, err := c.MakeDirectory("x/y/z/", true, 0); err != nil || created {
		t.Fatal(created, err)
	}
	if info := must[Info](t)(c.Stat("x/y", false)); info.Mode != 0o755 {
		t.Fatalf("mode of the parent %#o", info.Mode)
	}
	write(t, dir+"/file", "")
	_, err = c.MakeDirectory("file", true, 0)
	wantCode(t, err, AlreadyExists, "file")
}

func TestMoveReplacesOnlyWhenAsked(t *testing.T) {
	c, dir := here(t)
	write(t, dir+"/a", "a")
	write(t, dir+"/b", "b")
	wantCode(t, c.Move(context.Background(), "a", "b", false), AlreadyExists, dir+"/b")
	ok(t, c.Move(context.Background(), "a", "b", true))
	if read(t, dir+"/b") != "a" {
		t.Fatal("not replaced")
	}
	wantCode(t, c.Move(context.Background(), "a", "c", false), NotFound, dir+"/a")
	wantCode(t, c.Move(context.Background(), "b", "no/folder", false), NotFound, "no/folder")
}

func TestAMoveBetweenFileSystemsCopiesAndRemoves(t *testing.T) {
	from := specimen(t)
	c, dir := here(t)
	ctx := context.Background()
	ok(t, os.Chmod(from+"/sealed", 0o755)) // nobody but root empties a folder without write permission
	want := described(t, from)
	ok(t, c.moveAcross(ctx, from, dir+"/moved", false))
	same(t, described(t, dir+"/moved"), want)
	if _, err := os.Lstat(from); err == nil {
		t.Error("the original is still there")
	}
	onlyEntry(t, dir, "moved")
	write(t, dir+"/one/file", "one")
	write(t, dir+"/two/file", "two")
	ok(t, unix.Chmod(dir+"/one/file", 0o4751))
	wantCode(t, failure("move", "x", c.moveAcross(ctx, dir+"/one/file", dir+"/two/file", false)), AlreadyExists, "x")
	ok(t, c.moveAcross(ctx, dir+"/one/file", dir+"/two/file", true))
	if got := read(t, dir+"/two/file"); got != "one" {
		t.Errorf("got %q", got)
	}
	if info := must[Info](t)(c.Stat("two/file", false)); info.Mode != 0o4751 {
		t.Errorf("mode %#o", info.Mode)
	}
	// What cannot be copied stays, and nothing half is left.
	ok(t, unix.Mkfifo(dir+"/one/fifo", 0o600))
	wantCode(t, c.moveAcross(ctx, dir+"/one", dir+"/two/one", false), Unsupported, "FIFO")
	onlyEntry(t, dir+"/two", "file")
	must[Info](t)(c.Stat("one/fifo", false))
}

func TestAMoveReallyCrosses(t *testing.T) {
	c, dir := here(t)
	elsewhere, err := os.MkdirTemp("/dev/shm", "files")
	if err != nil { // closed to this user: the test above did not need a second file system
		elsewhere = t.TempDir()
	}
	defer os.RemoveAll(elsewhere)
	write(t, dir+"/folder/file", "content")
	ok(t, c.Move(context.Background(), "folder", elsewhere+"/folder", false))
	if read(t, elsewhere+"/folder/file") != "content" {
		t.Error("not moved")
	}
	wantCode(t, c.Move(context.Background(), "folder", elsewhere+"/other", false), NotFound, dir+"/folder")
}

func TestRemoveNeverFollowsALink(t *testing.T) {
	c, dir := here(t)
	write(t, dir+"/outside/kept", "kept")
	write(t, dir+"/tree/a/b/c", "")
	ok(t, os.Symlink(dir+"/outside", dir+"/tree/a/link"))
	ok(t, os.Symlink(dir+"/outside", dir+"/toplink"))

	_, err := c.Remove(context.Background(), "tree", false)
	wantCode(t, err, InvalidArgument, "not empty")
	n, err := c.Remove(context.Background(), "tree", true)
	if err != nil || n != 5 {
		t.Fatal(n, err)
	}
	n, err = c.Remove(context.Background(), "toplink/", true)
	if err != nil || n != 1 {
		t.Fatal(n, err)
	}
	if read(t, dir+"/outside/kept") != "kept" {
		t.Fatal("a link was followed")
	}
	_, err = c.Remove(context.Background(), "missing", true)
	wantCode(t, err, NotFound, "missing")
	for _, path := range []string{"/", "//", ".", "..", "outside/.."} {
		_, err = c.Remove(context.Background(), path, true)
		wantCode(t, err, InvalidArgument, "cannot be removed")
	}
	if n, err := c.Remove(context.Background(), "outside", true); err != nil || n != 2 {
		t.Fatal(n, err)
	}
}

func TestRemoveTakesATreeThatIsDeeperThanAnyPath(t *testing.T) {
	c, dir := here(t)
	const levels = 5000
	at := must[int](t)(unix.Open(dir, unix.O_PATH, 0))
	for range levels {
		ok(t, unix.Mkdirat(at, "deep", 0o755))
		next := must[int](t)(unix.Openat(at, "deep", unix.O_PATH, 0))
		unix.Close(at)
		at = next
	}
	unix.Close(at)
	if n, err := c.Remove(context.Background(), "deep", true); err != nil || n != levels {
		t.Fatal(n, err)
	}
}

func TestRemoveWorksWithoutOpenat2Too(t *testing.T) {
	c, dir := here(t)
	write(t, dir+"/tree/a/b/c", "")
	fd := must[int](t)(unix.Open(dir, unix.O_PATH, 0))
	defer unix.Close(fd)
	slow := &tree{root: fd, byComponent: true}
	r := remover{ctx: context.Background(), buffer: make([]byte, folderBuffer)}
	duplicate := must[int](t)(unix.Dup(fd))
	ok(t, r.beneath(&anchor{tree: slow, fd: duplicate, uses: 1}, "tree"))
	_, err := c.Stat("tree", false)
	wantCode(t, err, NotFound, "tree")
}

func TestResolveFollowsLinksAsFarAsThePathExists(t *testing.T) {
	c, dir := here(t)
	write(t, dir+"/real/file", "")
	ok(t, os.Symlink("real", dir+"/link"))
	ok(t, os.Symlink("loop", dir+"/loop"))
	ok(t, os.Symlink(dir+"/gone/x", dir+"/dangling"))
	for _, each := range []struct {
		path, want string
		exists     bool
	}{
		{"link/file", dir + "/real/file", true},
		{"link/../link/./file", dir + "/real/file", true},
		{"~/link", dir + "/real", true},
		{"~", dir, true},
		{"~root/../etc", "/etc", true},
		{"link/new/../other", dir + "/real/other", false},
		{"dangling/y", dir + "/gone/x/y", false},
		{"/..//.", "/", true},
	} {
		got, exists, err := c.Resolve(each.path)
		if err != nil || got != each.want || exists != each.exists {
			t.Errorf("%s: got %s %v %v, want %s %v", each.path, got, exists, err, each.want, each.exists)
		}
	}
	_, _, err := c.Resolve("loop")
	wantCode(t, err, InvalidArgument, "loop")
	_, _, err = c.Resolve("~nobody-of-this-name/x")
	wantCode(t, err, NotFound, "nobody-of-this-name")
}

func push(t *testing.T, c Caller, copy Copy, content io.Reader) error {
	t.Helper()
	copy.ID, copy.Direction = "t", Push
	transfers := NewTransfers(time.Now)
	if _, err := transfers.Prepare(c, copy); err != nil {
		return err
	}
	return must[*Transfer](t)(transfers.Open("t")).Receive(context.Background(), content)
}

func pull(t *testing.T, c Caller, copy Copy) ([]byte, error) {
	t.Helper()
	copy.ID, copy.Direction = "t", Pull
	transfers := NewTransfers(time.Now)
	if _, err := transfers.Prepare(c, copy); err != nil {
		return nil, err
	}
	var content bytes.Buffer
	err := must[*Transfer](t)(transfers.Open("t")).Send(context.Background(), &content)
	return content.Bytes(), err
}

func TestAPushedFileReplacesTheOldOneWhole(t *testing.T) {
	c, dir := here(t)
	write(t, dir+"/file", "old content")
	ok(t, os.Chmod(dir+"/file", 0o751))
	open := must[*os.File](t)(os.Open(dir + "/file"))
	defer open.Close()

	ok(t, push(t, c, Copy{Shape: File, Path: "file", ModifiedNs: 1_500_000_000_123_456_789}, strings.NewReader("new")))

	if read(t, dir+"/file") != "new" || string(must[[]byte](t)(io.ReadAll(open))) != "old content" {
		t.Fatal("written in place")
	}
	info := must[Info](t)(c.Stat("file", false))
	if info.Mode != 0o751 || info.ModifiedNs != 1_500_000_000_123_456_789 {
		t.Fatalf("got %+v", info)
	}
	onlyEntry(t, dir, "file")
}

func onlyEntry(t *testing.T, dir, name string) {
	t.Helper()
	entries := must[[]os.DirEntry](t)(os.ReadDir(dir))
	if len(entries) != 1 || entries[0].Name() != name {
		t.Fatalf("left behind: %v", entries)
	}
}

func TestAPushThatBreaksOffLeavesTheOldFile(t *testing.T) {
	c, dir := here(t)
	write(t, dir+"/file", "old")
	broken := errors.New("the stream broke")
	err := push(t, c, Copy{Shape: File, Path: "file"}, io.MultiReader(strings.NewReader("half"), failing{broken}))
	if !errors.Is(err, broken) || read(t, dir+"/file") != "old" {
		t.Fatal(err, read(t, dir+"/file"))
	}
	onlyEntry(t, dir, "file")
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func TestANewFileHasTheModeGivenAndItsParentsAreMade(t *testing.T) {
	c, dir := here(t)
	old := unix.Umask(0o077)
	defer unix.Umask(old)
	err := push(t, c, Copy{Shape: File, Path: "a/b/file"}, strings.NewReader("x"))
	wantCode(t, err, NotFound, dir+"/a/b")
	ok(t, push(t, c, Copy{Shape: File, Path: "a/b/file", MakeParents: true}, strings.NewReader("x")))
	ok(t, push(t, c, Copy{Shape: File, Path: "a/b/tool", Mode: 0o4755}, strings.NewReader("x")))
	if info := must[Info](t)(c.Stat("a/b/file", false)); info.Mode != 0o644 {
		t.Fatalf("mode %#o", info.Mode)
	}
	if info := must[Info](t)(c.Stat("a/b/tool", false)); info.Mode != 0o4755 {
		t.Fatalf("mode %#o", info.Mode)
	}
}

func TestAPushGoesBehindAFinalLink(t *testing.T) {
	c, dir := here(t)
	write(t, dir+"/real/file", "old")
	ok(t, os.Symlink("real/file", dir+"/link"))
	ok(t, push(t, c, Copy{Shape: File, Path: "link"}, strings.NewReader("new")))
	if read(t, dir+"/real/file") != "new" || must[Info](t)(c.Stat("link", false)).Type != Symlink {
		t.Fatal("the link was replaced")
	}
}

func TestAPushAtAnOffsetWritesInPlace(t *testing.T) {
	c, dir := here(t)
	write(t, dir+"/file", "0123456789")
	ok(t, push(t, c, Copy{Shape: File, Path: "file", Offset: 3}, strings.NewReader("abc")))
	if got := read(t, dir+"/file"); got != "012abc6789" {
		t.Fatal(got)
	}
	ok(t, push(t, c, Copy{Shape: File, Path: "fresh", Offset: 2}, strings.NewReader("abc")))
	if got := read(t, dir+"/fresh"); got != "\x00\x00abc" {
		t.Fatalf("%q", got)
	}
}

func TestOnlyRegularFilesAreWrittenAndReadAndNothingBlocks(t *testing.T) {
	c, dir := here(t)
	ok(t, unix.Mkfifo(dir+"/fifo", 0o600))
	for _, path := range []string{"fifo", "/dev/null", "/dev/tty"} {
		for _, offset := range []uint64{0, 1} {
			wantCode(t, push(t, c, Copy{Shape: File, Path: path, Offset: offset}, strings.NewReader("")), InvalidArgument, path)
		}
		_, err := pull(t, c, Copy{Shape: File, Path: path})
		wantCode(t, err, InvalidArgument, path)
	}
	for _, path := range []string{".", "/", "new/"} {
		wantCode(t, push(t, c, Copy{Shape: File, Path: path}, strings.NewReader("")), InvalidArgument, "folder")
	}
	_, err := pull(t, c, Copy{Shape: File, Path: "."})
	wantCode(t, err, InvalidArgument, "folder")
	_, err = pull(t, c, Copy{Shape: File, Path: "missing"})
	wantCode(t, err, NotFound, dir+"/missing")
}

func TestAPullGivesTheRangeAsked(t *testing.T) {
	c, dir := here(t)
	content := strings.Repeat("0123456789", 100_000)
	write(t, dir+"/file", content)
	ok(t, os.Symlink("file", dir+"/link"))
	for _, each := range []struct{ offset, length, from, to uint64 }{
		{0, 0, 0, 1_000_000},
		{999_995, 0, 999_995, 1_000_000},
		{5, 10, 5, 15},
		{999_995, 100, 999_995, 1_000_000},
		{2_000_000, 0, 1_000_000, 1_000_000},
	} {
		got, err := pull(t, c, Copy{Shape: File, Path: "link", Offset: each.offset, Length: each.length})
		if err != nil || string(got) != content[each.from:each.to] {
			t.Errorf("%+v: got %d bytes, %v", each, len(got), err)
		}
	}
	if got, err := pull(t, c, Copy{Shape: File, Path: "/proc/self/status"}); err != nil || !bytes.Contains(got, []byte("Pid:")) {
		t.Errorf("a file of /proc: %q %v", got, err)
	}
}

func TestATransferIsOpenedOnceAndForgottenAfterHalfAMinute(t *testing.T) {
	c, dir := here(t)
	write(t, dir+"/file", "x")
	now := time.Now()
	transfers := NewTransfers(func() time.Time { return now })
	copy := Copy{ID: "t_1", Direction: Pull, Shape: File, Path: "file"}

	info := must[Info](t)(transfers.Prepare(c, copy))
	if info.Size != 1 || info.Type != Regular {
		t.Fatalf("got %+v", info)
	}
	_, err := transfers.Prepare(c, copy)
	wantCode(t, err, AlreadyExists, "t_1")
	must[*Transfer](t)(transfers.Open("t_1"))
	_, err = transfers.Open("t_1")
	wantCode(t, err, NotFound, "t_1")

	must[Info](t)(transfers.Prepare(c, copy))
	now = now.Add(Forgotten + time.Second)
	_, err = transfers.Open("t_1")
	wantCode(t, err, NotFound, "t_1")

	for i := range PreparedMost {
		copy.ID = fmt.Sprint("many", i)
		must[Info](t)(transfers.Prepare(c, copy))
	}
	copy.ID = "more"
	_, err = transfers.Prepare(c, copy)
	wantCode(t, err, Capacity, "too many")
	now = now.Add(Forgotten + time.Second)
	must[Info](t)(transfers.Prepare(c, copy))
}
