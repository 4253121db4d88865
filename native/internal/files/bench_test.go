package files

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// Run: go test -run '^$' -bench . -benchtime 3x ./internal/files
// Compare with: cp -r, tar c | tar x, and for a file `cat FILE | cat > COPY`.

func smallFiles(b *testing.B, count int) string {
	b.Helper()
	dir := b.TempDir()
	content := make([]byte, 1000)
	for i := range count {
		folder := fmt.Sprintf("%s/d%03d", dir, i/100)
		if i%100 == 0 {
			if err := os.Mkdir(folder, 0o755); err != nil {
				b.Fatal(err)
			}
		}
		if err := os.WriteFile(fmt.Sprintf("%s/file%d", folder, i), content, 0o644); err != nil {
			b.Fatal(err)
		}
	}
	return dir
}

func openDir(b testing.TB, path string) int {
	b.Helper()
	fd, err := unix.Open(path, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { unix.Close(fd) })
	return fd
}

func BenchmarkPack100000SmallFiles(b *testing.B) {
	dir := openDir(b, smallFiles(b, 100_000))
	for b.Loop() {
		if _, err := Pack(context.Background(), dir, io.Discard); err != nil {
			b.Fatal(err)
		}
	}
}

// One goroutine packs, one unpacks, a pipe between them, as between two programs.
func BenchmarkCopy100000SmallFiles(b *testing.B) {
	for _, switched := range []bool{false, true} {
		b.Run(fmt.Sprint("switched=", switched), func(b *testing.B) {
			source := openDir(b, smallFiles(b, 100_000))
			for i := 0; b.Loop(); i++ {
				copyTree(b, source, filepath.Join(b.TempDir(), fmt.Sprint(i)), switched)
			}
		})
	}
}

func BenchmarkCopyTreeOf1GiB(b *testing.B) {
	for _, switched := range []bool{false, true} {
		b.Run(fmt.Sprint("switched=", switched), func(b *testing.B) {
			dir := b.TempDir()
			big(b, dir+"/big")
			source := openDir(b, dir)
			b.SetBytes(1 << 30)
			for i := 0; b.Loop(); i++ {
				to := filepath.Join(b.TempDir(), fmt.Sprint(i))
				copyTree(b, source, to, switched)
				os.RemoveAll(to)
			}
		})
	}
}

func big(b testing.TB, path string) {
	b.Helper()
	file, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	chunk := make([]byte, 1<<20)
	for i := range chunk {
		chunk[i] = byte(i * 7)
	}
	for range 1024 {
		if _, err := file.Write(chunk); err != nil {
			b.Fatal(err)
		}
	}
}

func copyTree(b testing.TB, source int, to string, switched bool) {
	b.Helper()
	if err := os.Mkdir(to, 0o755); err != nil {
		b.Fatal(err)
	}
	reader, writer, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	defer reader.Close()
	packed := make(chan error, 1)
	go func() {
		defer writer.Close()
		_, err := Pack(context.Background(), source, writer)
		packed <- err
	}()
	target := openDir(b, to)
	caller := Caller{Switch: switched}
	err = caller.as(func() error {
		_, err := Unpack(context.Background(), target, reader, Unpacking{})
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	if err := <-packed; err != nil {
		b.Fatal(err)
	}
}

func BenchmarkPushAFileOf1GiB(b *testing.B) {
	dir := b.TempDir()
	big(b, dir+"/big")
	c := Caller{Cwd: dir, Switch: true}
	b.SetBytes(1 << 30)
	for b.Loop() {
		reader, writer, err := os.Pipe()
		if err != nil {
			b.Fatal(err)
		}
		sent := make(chan error, 1)
		go func() {
			defer writer.Close()
			sent <- (&Transfer{copy: Copy{Direction: Pull, Shape: File}, caller: c, path: dir + "/big"}).Send(context.Background(), writer)
		}()
		if err := (&Transfer{copy: Copy{Direction: Push, Shape: File}, caller: c, path: dir + "/copy"}).Receive(context.Background(), reader); err != nil {
			b.Fatal(err)
		}
		if err := <-sent; err != nil {
			b.Fatal(err)
		}
		reader.Close()
	}
}
