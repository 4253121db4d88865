package listen

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cortex.dev/native/internal/launch"
	"golang.org/x/sys/unix"
)

func TestTheSocketIsForTheOwnerAloneAndKnownByItsInode(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s", "n.sock")
	socket, file, err := Open(launch.Listen{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	var stat unix.Stat_t
	if err := unix.Lstat(path, &stat); err != nil {
		t.Fatal(err)
	}
	if stat.Mode&0o777 != 0o600 || stat.Ino != file.Inode || uint64(stat.Dev) != file.Device {
		t.Fatalf("mode %o, inode %d for %+v", stat.Mode, stat.Ino, file)
	}
	if info, _ := os.Stat(filepath.Dir(path)); info.Mode().Perm() != 0o700 {
		t.Fatalf("folder of mode %o", info.Mode().Perm())
	}
	connection, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	_ = connection.Close()
}

func TestAStaleSocketIsReplacedAndAnythingElseIsNot(t *testing.T) {
	folder := t.TempDir()
	if err := os.Chmod(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, "n.sock")
	for range 2 {
		socket, _, err := Open(launch.Listen{Path: path})
		if err != nil {
			t.Fatal(err)
		}
		_ = socket.Close()
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc/passwd", path); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Open(launch.Listen{Path: path}); err == nil || !strings.Contains(err.Error(), "no socket") {
		t.Fatalf("answered %v", err)
	}
}

func TestAFolderThatOthersEnterIsRefused(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "s")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Open(launch.Listen{Path: filepath.Join(folder, "n.sock")}); err == nil {
		t.Fatal("accepted")
	}
}
