package main

import (
	"archive/tar"
	"bytes"
	"io"
	"os"
	"testing"
)

func TestAFolderIsPackedAndUnpacked(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	if err := os.WriteFile(from+"/file", []byte("content"), 0o640); err != nil {
		t.Fatal(err)
	}
	var archive bytes.Buffer
	if status := run(call{arguments: []string{"pack", from}, stdout: &archive}); status != 0 {
		t.Fatal(status)
	}
	if status := run(call{arguments: []string{"unpack", to}, stdin: &archive, stdout: io.Discard}); status != 0 {
		t.Fatal(status)
	}
	if content, err := os.ReadFile(to + "/file"); err != nil || string(content) != "content" {
		t.Fatal(string(content), err)
	}
}

func TestAHostileArchiveEndsWithAFailureAndTouchesNothingElse(t *testing.T) {
	dir := t.TempDir()
	to := dir + "/target"
	if err := os.Mkdir(to, 0o755); err != nil {
		t.Fatal(err)
	}
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	for _, h := range []*tar.Header{
		{Typeflag: tar.TypeSymlink, Name: "out", Linkname: dir},
		{Typeflag: tar.TypeReg, Name: "out/file"},
	} {
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var stdout bytes.Buffer
	if status := run(call{arguments: []string{"unpack", to}, stdin: &archive, stdout: &stdout}); status != 1 || stdout.Len() != 0 {
		t.Fatal(status, stdout.String())
	}
	if _, err := os.Lstat(dir + "/file"); err == nil {
		t.Fatal("written through a link")
	}
}

func TestAFolderThatIsNotThereIsAFailure(t *testing.T) {
	for _, arguments := range [][]string{{"pack"}, {"pack", "/no/such/folder"}, {"unpack", "/etc/passwd"}} {
		if status := run(call{arguments: arguments, stdin: &bytes.Buffer{}, stdout: io.Discard}); status != 1 {
			t.Error(arguments, status)
		}
	}
}
