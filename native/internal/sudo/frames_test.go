package sudo

import (
	"net"
	"os"
	"testing"
	"time"

	"cortex.dev/native/internal/users"
	"golang.org/x/sys/unix"
)

// pair are the ends of one connection.
func pair(t testing.TB) (a, b *net.UnixConn) {
	t.Helper()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	var ends [2]*net.UnixConn
	for i, fd := range fds {
		file := os.NewFile(uintptr(fd), "end")
		conn, err := net.FileConn(file)
		_ = file.Close()
		if err != nil {
			t.Fatal(err)
		}
		ends[i] = conn.(*net.UnixConn)
		t.Cleanup(func() { _ = conn.Close() })
	}
	return ends[0], ends[1]
}

func TestAnAskArrivesWithItsDescriptors(t *testing.T) {
	a, b := pair(t)
	go func() { _ = send(a, kindAsk, Ask{Argv: [][]byte{[]byte("a\xff")}, HasDirectory: true}, 0, 1) }()
	f, err := receive(b)
	if err != nil {
		t.Fatal(err)
	}
	defer f.close()
	var ask Ask
	if err := f.into(&ask); err != nil || f.kind != kindAsk || len(f.descriptors) != 2 || string(ask.Argv[0]) != "a\xff" {
		t.Errorf("got %+v, %+v, %v", f, ask, err)
	}
	for _, fd := range f.descriptors {
		if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err != nil || flags&unix.FD_CLOEXEC == 0 {
			t.Errorf("descriptor %d: flags %#x, %v", fd, flags, err)
		}
	}
}

func TestAMessageThatIsTooLongIsRefusedBeforeItIsRead(t *testing.T) {
	a, b := pair(t)
	_, _ = a.Write([]byte{'A', 0xff, 0xff, 0xff, 0xff})
	if f, err := receive(b); err == nil {
		t.Errorf("read %+v", f)
	}
}

func TestMoreDescriptorsThanAnAskHasAreClosed(t *testing.T) {
	a, b := pair(t)
	before := openFiles(t)
	many := make([]int, 50)
	if _, _, err := a.WriteMsgUnix([]byte{'A', 0, 0, 0, 0}, unix.UnixRights(many...), nil); err != nil {
		t.Fatal(err)
	}
	f, err := receive(b)
	if err != nil || len(f.descriptors) > descriptorsMost {
		t.Fatalf("got %d descriptors, %v", len(f.descriptors), err)
	}
	f.close()
	if after := openFiles(t); after > before {
		t.Errorf("%d descriptors are open, %d were", after, before)
	}
}

func openFiles(t testing.TB) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

var userForTest = users.User{Name: "agent", UID: 1000, GID: 1000}

func FuzzReceive(f *testing.F) {
	f.Add([]byte{'A', 0, 0, 0, 2, '{', '}'})
	f.Add([]byte{'S', 0, 0, 0, 1, 9, 'A', 0, 0, 0, 4, 'n', 'u', 'l', 'l'})
	f.Add([]byte{'A', 0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, bytes []byte) {
		a, b := pair(t)
		_ = b.SetReadDeadline(time.Now().Add(10 * time.Second))
		go func() {
			_, _ = a.Write(bytes)
			_ = a.Close()
		}()
		for {
			frame, err := receive(b)
			if err != nil {
				return
			}
			var ask Ask
			if frame.into(&ask) == nil {
				ask.Check = true
				_, _ = prepare(ask, userForTest)
			}
			frame.close()
		}
	})
}
