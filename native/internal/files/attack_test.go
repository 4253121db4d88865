package files

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// arena is a target beside a folder that must never change.
func arena(t *testing.T) (target, outside string, untouched func()) {
	t.Helper()
	_, dir := here(t)
	target, outside = dir+"/target", dir+"/outside"
	ok(t, os.Mkdir(target, 0o755))
	write(t, outside+"/victim", "innocent")
	write(t, outside+"/folder/inner", "innocent")
	setTime(t, outside+"/folder", 1_000_000_000)
	before := described(t, outside)
	siblings := len(must[[]os.DirEntry](t)(os.ReadDir(dir)))
	return target, outside, func() {
		t.Helper()
		same(t, described(t, outside), before)
		if now := len(must[[]os.DirEntry](t)(os.ReadDir(dir))); now != siblings {
			t.Errorf("%d entries beside the target", now)
		}
	}
}

func TestTheFirstEntryThatAttacksEndsItWithItsName(t *testing.T) {
	typed := func(kind byte) item { return item{header{name: "special", kind: kind, mode: 0o666}, ""} }
	for name, items := range map[string][]item{
		"a link, then a file through it":       {symbolic("a", "OUTSIDE"), regular("a/victim", "bad")},
		"a link, then a folder through it":     {symbolic("a", "OUTSIDE"), folder("a/new/")},
		"a link, then a link through it":       {symbolic("a", "OUTSIDE"), symbolic("a/new", "x")},
		"a link, then a hard link through it":  {regular("f", ""), symbolic("a", "OUTSIDE"), hard("a/new", "f")},
		"a link, then a folder in its place":   {symbolic("a", "OUTSIDE"), folder("a/")},
		"a relative link out":                  {symbolic("a", "../outside"), regular("a/victim", "bad")},
		"a link to .., in steps":               {symbolic("a", "."), symbolic("b", "a/.."), regular("b/outside/victim", "bad")},
		"a link further down":                  {folder("d/"), symbolic("d/a", "../../outside"), regular("d/a/folder/inner", "bad")},
		"a chain of links":                     {symbolic("a", "b"), symbolic("b", "OUTSIDE"), regular("a/victim", "bad")},
		"a link with a slash behind":           {symbolic("a/", "OUTSIDE"), regular("a/victim", "bad")},
		"a link to a folder of the archive":    {folder("real/"), symbolic("a", "real"), regular("a/file", "bad")},
		"a hard link by ..":                    {hard("a", "../outside/victim")},
		"a hard link to an absolute path":      {hard("a", "OUTSIDE/victim")},
		"a hard link through a link":           {symbolic("l", "OUTSIDE"), hard("a", "l/victim")},
		"a hard link to nothing":               {hard("a", "missing")},
		"a hard link to an empty name":         {hard("a", "")},
		"a hard link to a folder":              {folder("d/"), hard("a", "d")},
		"..":                                   {regular("../outside/victim", "bad")},
		".. in the middle":                     {folder("d/"), regular("d/../../outside/victim", "bad")},
		".. at the end":                        {folder("d/..")},
		".. that stays inside":                 {folder("d/"), regular("d/../file", "bad")},
		".. behind dots and slashes":           {regular(".//./../outside/victim", "bad")},
		"an absolute name":                     {regular("OUTSIDE/victim", "bad")},
		"an absolute name of many slashes":     {regular("//OUTSIDE/victim", "bad")},
		"a character device":                   {typed('3')},
		"a block device":                       {typed('4')},
		"a FIFO":                               {typed('6')},
		"a type that nobody knows":             {typed('Z')},
		"an empty name":                        {regular("", "bad")},
		"a name of dots":                       {regular("./.", "bad")},
		"a file where a folder is":             {folder("d/"), regular("d/f", "x"), regular("d", "bad")},
		"a file where an empty folder is":      {folder("d/"), regular("d", "bad")},
		"a link where a folder is":             {folder("d/"), symbolic("d", "OUTSIDE")},
		"a hard link where a folder is":        {folder("d/"), regular("f", ""), hard("d", "f")},
		"a file as a folder":                   {regular("f", ""), regular("f/victim", "bad")},
		"a link to nowhere":                    {symbolic("a", "")},
		"a link to a path that is too long":    {symbolic("a", strings.Repeat("x", 5000))},
		"a name that is too long":              {regular(strings.Repeat("x/", 3000)+"y", "bad")},
		"a part of a name that is too long":    {regular("a/"+strings.Repeat("x", 256), "bad")},
		"a file, a link in its place, a write": {regular("f", "1"), symbolic("f", "OUTSIDE/victim"), regular("f", "bad"), folder("f/")},
	} {
		t.Run(name, func(t *testing.T) {
			target, outside, untouched := arena(t)
			for i := range items {
				items[i].name = strings.Replace(items[i].name, "OUTSIDE", outside, 1)
				items[i].link = strings.Replace(items[i].link, "OUTSIDE", outside, 1)
			}
			items = append(items, regular("after", "must not come"))
			last := items[len(items)-2].name
			err := unpack(t, target, archiveOf(t, items...))
			wantCode(t, err, InvalidArgument, quoted(last))
			untouched()
			if _, err := os.Lstat(target + "/after"); err == nil {
				t.Error("it went on")
			}
		})
	}
}

func TestReplacingALinkNeverWritesThroughIt(t *testing.T) {
	target, outside, untouched := arena(t)
	ok(t, os.Symlink(outside+"/victim", target+"/there"))
	ok(t, os.Link(outside+"/victim", target+"/second-name"))
	ok(t, unpack(t, target, archiveOf(t,
		regular("there", "new"), regular("second-name", "new"),
		symbolic("f", outside+"/victim"), regular("f", "new"),
		symbolic("g", outside+"/victim"), hard("h", "g"), regular("g", "new"),
		regular("i", "1"), symbolic("i", outside+"/folder"), regular("i", "new"),
	)))
	if err := os.Remove(target + "/h"); err != nil { // the second name of a link is a link
		t.Fatal(err)
	}
	for _, name := range []string{"there", "second-name", "f", "g", "i"} {
		if got := read(t, target+"/"+name); got != "new" {
			t.Errorf("%s holds %q", name, got)
		}
	}
	// The victim had a second name for a while; its content, mode and time are what they were.
	untouched()
}

func TestTheTargetsOwnLinksAreNotFollowedEither(t *testing.T) {
	target, outside, untouched := arena(t)
	ok(t, os.Symlink(outside, target+"/link"))
	wantCode(t, unpack(t, target, archiveOf(t, regular("link/victim", "bad"))), InvalidArgument, "link/victim")
	untouched()
}

func TestSpecialBitsComeOnlyWithOwners(t *testing.T) {
	target, _, _ := arena(t)
	tool := regular("tool", "x")
	tool.mode = 0o6755
	sticky := folder("sticky/")
	sticky.mode = 0o1777
	ok(t, unpack(t, target, archiveOf(t, tool, sticky)))
	c := Caller{Cwd: target}
	if mode := must[Info](t)(c.Stat("tool", false)).Mode; mode != 0o755 {
		t.Errorf("tool: %#o", mode)
	}
	if mode := must[Info](t)(c.Stat("sticky", false)).Mode; mode != 0o777 {
		t.Errorf("sticky: %#o", mode)
	}
	if os.Geteuid() != 0 {
		return
	}
	tool.uid, tool.gid = 12, 34
	_, err := Unpack(context.Background(), openDir(t, target), bytes.NewReader(archiveOf(t, tool, sticky)), Unpacking{Owners: true, Umask: 0o022})
	ok(t, err)
	if info := must[Info](t)(c.Stat("tool", false)); info.Mode != 0o6755 || info.UID != 12 || info.GID != 34 {
		t.Errorf("tool: %+v", info)
	}
	if mode := must[Info](t)(c.Stat("sticky", false)).Mode; mode != 0o1755 {
		t.Errorf("sticky: %#o", mode)
	}
}

// extended is an entry with the given records before it.
func extended(records string, each item) []byte {
	e := header{name: "x", kind: typeExtended, size: int64(len(records))}
	archive := e.appendBlock(nil)
	archive = append(archive, records...)
	archive = appendPadding(archive, len(records))
	return append(archive, unended(each)...)
}

func record(key, value string) string { return string(appendRecord(nil, key, value)) }

func TestExtendedRecordsThatAttackAreRefused(t *testing.T) {
	for name, records := range map[string]string{
		"a name with NUL":                 record("path", "a\x00b"),
		"a link with NUL":                 record("linkpath", "a\x00b"),
		"a name out":                      record("path", "../outside/victim"),
		"a length beyond the record":      "9999999 path=a\n",
		"a length that is negative":       "-5 path=a\n",
		"a length of nothing":             "0 path=a\n",
		"no newline":                      "10 path=abc",
		"a size that is negative":         record("size", "-1"),
		"a size that is no number":        record("size", "many"),
		"a size beyond 64 bits":           record("size", "99999999999999999999"),
		"a size beyond what follows":      record("size", "9223372036854775807"),
		"a time that is none":             record("mtime", "yesterday"),
		"a sparse size that is negative":  record("GNU.sparse.major", "1") + record("GNU.sparse.minor", "0") + record("GNU.sparse.realsize", "-1") + record("GNU.sparse.name", "a"),
		"a sparse name out":               record("GNU.sparse.major", "0") + record("GNU.sparse.minor", "1") + record("GNU.sparse.size", "10") + record("GNU.sparse.numblocks", "1") + record("GNU.sparse.map", "0,4") + record("GNU.sparse.name", "../outside/victim"),
		"a sparse map that overlaps":      record("GNU.sparse.major", "0") + record("GNU.sparse.minor", "1") + record("GNU.sparse.size", "10") + record("GNU.sparse.numblocks", "2") + record("GNU.sparse.map", "0,4,2,4"),
		"a sparse map beyond the content": record("GNU.sparse.major", "0") + record("GNU.sparse.minor", "1") + record("GNU.sparse.size", "1000") + record("GNU.sparse.numblocks", "1") + record("GNU.sparse.map", "0,900"),
	} {
		t.Run(name, func(t *testing.T) {
			target, _, untouched := arena(t)
			err := unpack(t, target, append(extended(records, regular("entry", "four")), make([]byte, 2*blockSize)...))
			if CodeOf(err) != InvalidArgument {
				t.Fatalf("got %v", err)
			}
			untouched()
		})
	}
}

func TestNewlinesInNamesAreOnlyBytes(t *testing.T) {
	target, _, _ := arena(t)
	name := "a\n30 path=../outside/victim\n" + strings.Repeat("x", 100)
	ok(t, os.MkdirAll(target, 0o755))
	archive := append(extended(record("path", strings.ReplaceAll(name, "/", "_")), regular("entry", "four")), make([]byte, 2*blockSize)...)
	ok(t, unpack(t, target, archive))
	if got := read(t, target+"/"+strings.ReplaceAll(name, "/", "_")); got != "four" {
		t.Fatalf("got %q", got)
	}
}

func TestAHugeSizeAllocatesNothingAndEndsAsCutShort(t *testing.T) {
	target, _, _ := arena(t)
	huge := regular("huge", "little")
	huge.size = math.MaxInt64 - 1000
	wantCode(t, unpack(t, target, archiveOf(t, huge)), InvalidArgument, "cut short")
	if got := described(t, target); got != "" {
		t.Fatalf("half a file is left: %s", got)
	}
}

func TestWhatIsNoArchiveIsSaidToBeNone(t *testing.T) {
	target, _, _ := arena(t)
	for _, bytes := range [][]byte{
		[]byte(strings.Repeat("no tar", 1000)),
		[]byte("\x1f\x8b\x08\x00" + strings.Repeat("x", 2000)),
		{},
		make([]byte, 512),
	} {
		if err := unpack(t, target, bytes); CodeOf(err) != InvalidArgument {
			t.Errorf("%.10q: %v", bytes, err)
		}
	}
	ok(t, unpack(t, target, archiveOf(t)))
}

func TestManyFoldersAreBoundedInMemory(t *testing.T) {
	target, _, _ := arena(t)
	archive := archiveOf(t, folder("d/"+strings.Repeat(strings.Repeat("x", 200)+"/", 15)))
	archive = archive[:len(archive)-2*blockSize]
	// The same folder over and over: 128 MiB of names are full after about 44,000.
	u := newUnpacker(context.Background(), openDir(t, target), &again{archive, nil}, Unpacking{})
	_, err := u.all()
	wantCode(t, err, InvalidArgument, "too many folders")
}

// again reads the same bytes over and over.
type again struct{ bytes, rest []byte }

func (a *again) Read(b []byte) (int, error) {
	if len(a.rest) == 0 {
		a.rest = a.bytes
	}
	n := copy(b, a.rest)
	a.rest = a.rest[n:]
	return n, nil
}

func TestAHundredThousandSmallFilesGoBothWays(t *testing.T) {
	if unix.Access("/dev/shm", unix.W_OK) == nil { // on a disk they take half a minute
		t.Setenv("TMPDIR", "/dev/shm")
	}
	target, _, untouched := arena(t)
	reader, writer := io.Pipe()
	go func() {
		for i := range 100_000 {
			if _, err := writer.Write(unended(regular(fmt.Sprintf("d%d/f%d", i/1000, i), "small"))); err != nil {
				return
			}
		}
		_, err := writer.Write(make([]byte, 2*blockSize))
		writer.CloseWithError(err)
	}()
	report, err := Unpack(context.Background(), openDir(t, target), reader, Unpacking{})
	ok(t, err)
	if report.Entries != 100_000 {
		t.Fatalf("%+v", report)
	}
	report, err = Pack(context.Background(), openDir(t, target), io.Discard)
	ok(t, err)
	if report.Entries != 100_100 {
		t.Fatalf("%+v", report)
	}
	untouched()
	if removed, err := (Caller{Cwd: target}).Remove(context.Background(), target, true); err != nil || removed != 100_101 {
		t.Fatal(removed, err)
	}
}

// A process beside us swaps a folder for a link to the outside and back, as fast as it can.
func swapping(t *testing.T, path, outside string) (stop func() int) {
	t.Helper()
	aside, bait := path+".aside", path+".bait"
	ok(t, os.Symlink(outside, bait))
	end, swaps := make(chan struct{}), make(chan int)
	go func() {
		n := 0
		for {
			select {
			case <-end:
				swaps <- n
				return
			default:
			}
			if unix.Rename(path, aside) == nil && unix.Rename(bait, path) == nil {
				n++
			}
			if unix.Rename(path, bait) != nil || unix.Rename(aside, path) != nil {
				// An unpacked folder took the place meanwhile: it goes, the game goes on.
				_ = os.RemoveAll(aside)
				_ = os.Rename(path, aside)
				_ = os.Remove(bait)
				_ = os.Remove(path)
				_ = os.Symlink(outside, bait)
				_ = os.Mkdir(path, 0o755)
			}
		}
	}()
	return func() int { close(end); return <-swaps }
}

func TestNoRaceLeadsAnUnpackingOut(t *testing.T) {
	for _, byComponent := range []bool{false, true} {
		t.Run(fmt.Sprint("by component ", byComponent), func(t *testing.T) {
			target, outside, untouched := arena(t)
			ok(t, os.Mkdir(target+"/d", 0o755))
			stop := swapping(t, target+"/d", outside)
			refusals, rounds := 0, 0
			for deadline := time.Now().Add(1500 * time.Millisecond); time.Now().Before(deadline); rounds++ {
				// Elsewhere between two entries of d: each opens the way anew.
				archive := archiveOf(t, regular("d/victim", "bad"), regular("x/y", ""), folder("d/folder/"),
					regular("x/y", ""), regular("d/folder/inner", "bad"), regular("x/y", ""), symbolic("d/new", "x"),
					regular("x/y", ""), hard("d/hard", "x/y"), regular("x/y", ""), hard("out", "d/victim"), regular("d/folder/new", "bad"))
				u := newUnpacker(context.Background(), openDirOnce(t, target), bytes.NewReader(archive), Unpacking{})
				u.tree.byComponent = byComponent
				if _, err := u.all(); err != nil {
					refusals++
				}
				unix.Close(u.tree.root)
			}
			swaps := stop()
			t.Logf("%d rounds, %d of them ended early, %d swaps", rounds, refusals, swaps)
			if swaps < 10 || refusals == 0 {
				t.Errorf("no race took place: %d rounds, %d refusals, %d swaps", rounds, refusals, swaps)
			}
			untouched()
		})
	}
}

func TestNoRaceLeadsARemovalOrAPackingOut(t *testing.T) {
	target, outside, untouched := arena(t)
	var items []item
	for i := range 20 {
		items = append(items, folder(fmt.Sprintf("t/d/folder/f%d/", i)), regular("t/d/victim", "mine"))
	}
	filling := archiveOf(t, items...)
	ok(t, os.MkdirAll(target+"/t/d", 0o755))
	stop := swapping(t, target+"/t/d", outside)
	removals := 0
	for deadline := time.Now().Add(1500 * time.Millisecond); time.Now().Before(deadline); {
		_ = unpack(t, target, filling)
		var archive bytes.Buffer
		dir := openDirOnce(t, target)
		_, _ = Pack(context.Background(), dir, &archive)
		unix.Close(dir)
		if bytes.Contains(archive.Bytes(), []byte("innocent")) {
			t.Fatal("a link was followed into the archive")
		}
		if _, err := (Caller{}).Remove(context.Background(), target+"/t", true); err == nil {
			removals++
		}
	}
	swaps := stop()
	t.Logf("%d removals, %d swaps", removals, swaps)
	if removals == 0 || swaps < 10 {
		t.Errorf("no race took place: %d removals, %d swaps", removals, swaps)
	}
	untouched()
}

func openDirOnce(t *testing.T, path string) int {
	t.Helper()
	return must[int](t)(unix.Open(path, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0))
}

// A process in the sandbox must not get root to write elsewhere by what it leaves in its home.
func TestRootUnpackingIntoAUsersFolderFollowsNothingOfTheirs(t *testing.T) {
	c, dir := other(t)
	ok(t, os.Mkdir(dir+"/home", 0o755))
	ok(t, os.Chown(dir+"/home", someone, someone))
	write(t, dir+"/roots", "root's")
	ok(t, c.as(func() error { return unix.Symlink(dir+"/roots", dir+"/home/file") }))
	ok(t, c.as(func() error { return unix.Symlink(dir, dir+"/home/folder") }))
	root := Caller{Cwd: dir, Switch: true}
	ok(t, push(t, root, Copy{Shape: Tar, Path: "home"}, bytes.NewReader(archiveOf(t, regular("file", "new")))))
	wantCode(t, push(t, root, Copy{Shape: Tar, Path: "home"}, bytes.NewReader(archiveOf(t, regular("folder/roots", "bad")))), InvalidArgument, "folder/roots")
	if read(t, dir+"/roots") != "root's" || read(t, dir+"/home/file") != "new" {
		t.Fatal("written through a link")
	}
}

func TestAnUnpackedTreeIsTheCallers(t *testing.T) {
	c, dir := other(t)
	ok(t, os.Mkdir(dir+"/home", 0o755))
	ok(t, os.Chown(dir+"/home", someone, someone))
	foreign := regular("a/file", "x")
	foreign.uid = 7
	ok(t, push(t, c, Copy{Shape: Tar, Path: "home"}, bytes.NewReader(archiveOf(t, foreign, symbolic("a/link", "x"), folder("b/")))))
	for _, path := range []string{"home/a", "home/a/file", "home/a/link", "home/b"} {
		if info := must[Info](t)(c.Stat(path, false)); info.UID != someone || info.GID != someone {
			t.Errorf("%s belongs to %d:%d", path, info.UID, info.GID)
		}
	}
	wantCode(t, push(t, c, Copy{Shape: Tar, Path: "home", KeepOwners: true}, strings.NewReader("")), Denied, "owners")
	wantCode(t, push(t, c, Copy{Shape: Tar, Path: "."}, bytes.NewReader(archiveOf(t, foreign))), Denied, "a/file")

	write(t, dir+"/home/secret/file", "root's")
	ok(t, os.Chmod(dir+"/home/secret", 0o700))
	_, err := pull(t, c, Copy{Shape: Tar, Path: "home"})
	wantCode(t, err, Denied, "secret")
}

// A module cache is full of folders without write permission; sending it twice must work.
func TestAFolderWithoutWritePermissionIsFilledAgain(t *testing.T) {
	c, dir := other(t)
	ok(t, os.Mkdir(dir+"/home", 0o755))
	ok(t, os.Chown(dir+"/home", someone, someone))
	sealed := folder("sealed/")
	sealed.mode = 0o555
	for _, content := range []string{"first", "second"} {
		ok(t, push(t, c, Copy{Shape: Tar, Path: "home"}, bytes.NewReader(archiveOf(t, sealed, regular("sealed/file", content)))))
		if got := read(t, dir+"/home/sealed/file"); got != content {
			t.Errorf("got %q", got)
		}
		if info := must[Info](t)(c.Stat("home/sealed", false)); info.Mode != 0o555 {
			t.Errorf("mode %#o", info.Mode)
		}
	}
}
