package discover

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"cortex.dev/native/internal/launch"
	"cortex.dev/native/internal/launch/process"
	"golang.org/x/sys/unix"
)

const (
	one   = "sb_01kb8q5v3mfxw4s6y2r9t7c1ah"
	other = "sb_01kb8q5v3mfxw4s6y2r9t7c1aj"
)

func TestProcessesAreFoundByTheirWordsAndByTheirMark(t *testing.T) {
	run := t.TempDir()
	named := exec.Command("sh", "-c", "read x", "listener", filepath.Join(run, one, "n.sock"))
	stranger := exec.Command("sh", "-c", "read x", "listener", filepath.Join(t.TempDir(), one, "n.sock"))
	marked := exec.Command("sh", "-c", "read x")
	mark := uint64(os.Getpid())<<launch.SessionBits | 77<<42
	for _, command := range []*exec.Cmd{named, stranger, marked} {
		stdin, err := command.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = stdin.Close(); _ = command.Wait() })
	}
	limit := unix.Rlimit{Cur: mark + 5, Max: unix.RLIM_INFINITY}
	if err := unix.Prlimit(marked.Process.Pid, process.RlimitLocks, &limit, nil); err != nil {
		t.Fatal(err)
	}
	seen, err := Look(launch.DiscoverSpec{RunFolder: run, Suspects: []launch.Suspect{{Key: other, Mark: mark}}})
	if err != nil {
		t.Fatal(err)
	}
	want := []launch.Trace{
		{Key: one, Kind: running, Name: strconv.Itoa(named.Process.Pid)},
		{Key: other, Kind: running, Name: strconv.Itoa(marked.Process.Pid)},
	}
	if !slices.Equal(seen.Traces, want) {
		t.Fatalf("got %+v, want %+v", seen.Traces, want)
	}
}

func TestOnlyWhatLiesBeneathTheFolderUnderAnIdIsASandboxs(t *testing.T) {
	for path, want := range map[string]string{
		"/run/cortex/12345678/" + one:                 one,
		"/run/cortex/12345678/" + one + "/bundle/x":   one,
		"/run/cortex/1234567/" + one:                  "",
		"/run/cortex/123456789/" + one:                "",
		"/run/cortex/12345678":                        "",
		"/elsewhere/run/cortex/12345678/" + one:       "",
		"/run/cortex/12345678/../87654321/" + one:     "..",
		"/run/cortex/12345678/daemon.sock":            "daemon.sock",
		"--listen=/run/cortex/12345678/" + one + "/n": "",
	} {
		if got, _ := keyBeneath("/run/cortex/12345678", path); got != want {
			t.Errorf("%s: got %q", path, got)
		}
	}
	if got := unescaped(`/a\040b\134c\011`); got != "/a b\\c\t" {
		t.Errorf("got %q", got)
	}
}
