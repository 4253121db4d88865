package untar

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cortex.dev/native/internal/launch"
	"golang.org/x/sys/unix"
)

var when = time.Unix(1_600_000_000, 0)

func archive(t *testing.T, entries ...tar.Header) []byte {
	t.Helper()
	var buffer bytes.Buffer
	writer := tar.NewWriter(&buffer)
	for _, header := range entries {
		content := header.PAXRecords["test.content"]
		delete(header.PAXRecords, "test.content")
		header.Size, header.ModTime = int64(len(content)), when
		if header.Mode == 0 {
			header.Mode = 0o755
		}
		if err := writer.WriteHeader(&header); err != nil {
			t.Fatal(err)
		}
		if _, err := writer.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	return buffer.Bytes()
}

func file(name, content string) tar.Header {
	return tar.Header{Typeflag: tar.TypeReg, Name: name, PAXRecords: map[string]string{"test.content": content}}
}

func folderEntry(name string) tar.Header { return tar.Header{Typeflag: tar.TypeDir, Name: name} }

func symlink(name, to string) tar.Header {
	return tar.Header{Typeflag: tar.TypeSymlink, Name: name, Linkname: to}
}

func hardlink(name, to string) tar.Header {
	return tar.Header{Typeflag: tar.TypeLink, Name: name, Linkname: to}
}

// world is a target beside a folder that must stay as it is.
func world(t *testing.T) (target, outside string) {
	t.Helper()
	base := t.TempDir()
	if err := os.Chmod(base, 0o700); err != nil {
		t.Fatal(err)
	}
	target, outside = filepath.Join(base, "target"), filepath.Join(base, "outside")
	for _, dir := range []string{target, outside} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(outside, "kept"), []byte("kept"), 0o644); err != nil {
		t.Fatal(err)
	}
	return target, outside
}

func TestARootFileSystemComesOutAsItWas(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Fatal("this test needs root")
	}
	target, _ := world(t)
	owned := file("usr/bin/tool", "#!/bin/sh\n")
	owned.Uid, owned.Gid, owned.Mode = 1000, 50, 0o4755
	device := tar.Header{Typeflag: tar.TypeChar, Name: "dev/null", Devmajor: 1, Devminor: 3}
	data := archive(t, folderEntry("./"), folderEntry("./usr/bin/"), symlink("bin", "usr/bin"), owned,
		hardlink("usr/bin/again", "usr/bin/tool"), symlink("etc", "/usr"), file("bin/through", "a link that stays inside"),
		tar.Header{Typeflag: tar.TypeFifo, Name: "pipe"}, device, file("hole", strings.Repeat("\x00", 1<<20)+"end"))
	var zipped bytes.Buffer
	writer := gzip.NewWriter(&zipped)
	_, _ = writer.Write(data)
	_ = writer.Close()
	answer, err := Unpack(&zipped, target, Generous)
	if err != nil {
		t.Fatal(err)
	}
	if answer.Entries != 10 || answer.SkippedDevices != 1 || len(answer.Sha256) != 64 {
		t.Fatalf("answered %+v", answer)
	}
	var stat, again unix.Stat_t
	if err := errors.Join(unix.Lstat(target+"/usr/bin/tool", &stat), unix.Lstat(target+"/usr/bin/again", &again)); err != nil {
		t.Fatal(err)
	}
	if stat.Uid != 1000 || stat.Gid != 50 || stat.Mode&0o7777 != 0o4755 || stat.Mtim.Sec != when.Unix() || stat.Ino != again.Ino {
		t.Fatalf("the file is %+v", stat)
	}
	if _, err := os.Stat(target + "/usr/bin/through"); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(target + "/usr/bin"); err != nil || !info.ModTime().Equal(when) {
		t.Fatalf("the folder is of %v, %v", info.ModTime(), err)
	}
	if err := unix.Lstat(target+"/hole", &stat); err != nil || stat.Size != 1<<20+3 || stat.Blocks > 64 {
		t.Fatalf("the hole is %d blocks, %v", stat.Blocks, err)
	}
	if _, err := os.Lstat(target + "/dev/null"); err == nil {
		t.Fatal("a device node was made")
	}
}

func TestAnAttackEndsWithTheEntrysNameAndTouchesNothingOutside(t *testing.T) {
	high := file("evil", "x")
	high.Uid = 70000
	for name, entries := range map[string][]tar.Header{
		"a name that is absolute":        {file("/evil", "x")},
		"a name that goes up":            {file("a/../../evil", "x")},
		"writing through a link":         {symlink("out", "../outside"), file("out/evil", "x")},
		"writing through an absolute":    {symlink("out", "/"), file("out/evil", "x")},
		"a folder through a link":        {symlink("out", "../outside"), folderEntry("out/evil")},
		"a hard link that goes up":       {hardlink("evil", "../outside/kept")},
		"a hard link that is absolute":   {hardlink("evil", "/etc/passwd")},
		"a hard link through a link":     {symlink("out", "../outside"), hardlink("evil", "out/kept")},
		"a hard link to nothing":         {hardlink("evil", "none")},
		"a device outside dev":           {{Typeflag: tar.TypeBlock, Name: "evil", Devmajor: 8}},
		"a link of its own in a circle":  {symlink("evil", "evil"), file("evil/x", "x")},
		"a file as a folder":             {file("evil", "x"), file("evil/x", "x")},
		"an owner no sandbox has":        {high},
		"a file over a folder with some": {file("evil/x", "x"), file("evil", "x")},
	} {
		t.Run(name, func(t *testing.T) {
			target, outside := world(t)
			_, err := Unpack(bytes.NewReader(archive(t, entries...)), target, Generous)
			var failure *launch.Failure
			if !errors.As(err, &failure) || failure.Code != launch.InvalidArgument || !strings.Contains(failure.Message, "evil") {
				t.Fatalf("answered %v", err)
			}
			left, readErr := os.ReadDir(outside)
			content, _ := os.ReadFile(outside + "/kept")
			if readErr != nil || len(left) != 1 || string(content) != "kept" {
				t.Fatalf("outside there is %v, %q", left, content)
			}
		})
	}
}

func TestALinkIsReplacedAndNotFollowed(t *testing.T) {
	target, outside := world(t)
	data := archive(t, symlink("a", "../outside/kept"), file("a", "mine"))
	if _, err := Unpack(bytes.NewReader(data), target, Generous); err != nil {
		t.Fatal(err)
	}
	kept, _ := os.ReadFile(outside + "/kept")
	mine, _ := os.ReadFile(target + "/a")
	if string(kept) != "kept" || string(mine) != "mine" {
		t.Fatalf("outside %q, inside %q", kept, mine)
	}
}

func TestLimitsHold(t *testing.T) {
	for name, limits := range map[string]Limits{"bytes": {Bytes: 9, Entries: 10}, "entries": {Bytes: 100, Entries: 1}} {
		t.Run(name, func(t *testing.T) {
			target, _ := world(t)
			_, err := Unpack(bytes.NewReader(archive(t, file("a", "12345"), file("b", "12345"))), target, limits)
			if err == nil || !strings.Contains(err.Error(), `"b"`) {
				t.Fatalf("answered %v", err)
			}
		})
	}
}

func TestTheNamesOfFoldersTakeABoundedAmountOfMemory(t *testing.T) {
	target, _ := world(t)
	root, err := openTarget(target)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(root)
	u := &unpacker{root: root, limits: Generous, parent: -1, room: NewRoom(root), named: mostNamed - 2*besideName - 3}
	defer u.close()
	err = u.all(tar.NewReader(bytes.NewReader(archive(t, folderEntry("a"), folderEntry("b"), folderEntry("b")))))
	var failure *launch.Failure
	if !errors.As(err, &failure) || failure.Code != launch.InvalidArgument || len(u.folders) != 2 {
		t.Fatalf("answered %v with %d folders", err, len(u.folders))
	}
}

func TestWhatIsNoArchiveIsRefused(t *testing.T) {
	whole := archive(t, file("a", strings.Repeat("x", 5000)))
	for name, example := range map[string]struct {
		data []byte
		code launch.Code
	}{
		"nothing":   {nil, launch.InvalidArgument},
		"text":      {[]byte(strings.Repeat("hello ", 500)), launch.InvalidArgument},
		"cut short": {whole[:3000], launch.InvalidArgument},
		"zstd":      {[]byte("\x28\xb5\x2f\xfd0000"), launch.InvalidArgument},
		"xz":        {[]byte("\xfd7zXZ\x000000"), launch.Unsupported},
	} {
		t.Run(name, func(t *testing.T) {
			target, _ := world(t)
			var failure *launch.Failure
			if _, err := Unpack(bytes.NewReader(example.data), target, Generous); !errors.As(err, &failure) || failure.Code != example.code {
				t.Fatalf("answered %v", err)
			}
		})
	}
}

func TestSetUidFilesOfRootAreNotPutWhereOthersCome(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Fatal("this test needs root")
	}
	open, err := os.MkdirTemp("/var/tmp", "open")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(open) })
	target := filepath.Join(open, "target")
	if err := errors.Join(os.Chmod(open, 0o755), os.Mkdir(target, 0o755)); err != nil {
		t.Fatal(err)
	}
	if _, err := Unpack(bytes.NewReader(archive(t, file("a", "x"))), target, Generous); err == nil || !strings.Contains(err.Error(), "set-uid") {
		t.Fatalf("answered %v", err)
	}
}

func TestAHundredThousandSmallFilesComeOut(t *testing.T) {
	target, _ := world(t)
	const files = 100_000
	var buffer bytes.Buffer
	writer := tar.NewWriter(&buffer)
	for i := range files {
		header := tar.Header{Typeflag: tar.TypeReg, Name: fmt.Sprintf("d%d/f%d", i/1000, i), Mode: 0o644, Size: 1}
		if err := writer.WriteHeader(&header); err != nil {
			t.Fatal(err)
		}
		_, _ = writer.Write([]byte("x"))
	}
	_ = writer.Close()
	answer, err := Unpack(&buffer, target, Generous)
	if err != nil || answer.Entries != files || answer.Bytes != files {
		t.Fatalf("answered %+v, %v", answer, err)
	}
}

func FuzzUnpack(f *testing.F) {
	f.Add([]byte("\x1f\x8b"))
	f.Add(make([]byte, 1024))
	f.Fuzz(func(t *testing.T, data []byte) {
		target := t.TempDir()
		_ = os.Chmod(filepath.Dir(target), 0o700)
		_, _ = Unpack(bytes.NewReader(data), target, Limits{Bytes: 1 << 20, Entries: 100})
	})
}
