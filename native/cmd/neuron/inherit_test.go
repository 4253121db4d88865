package main

import (
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"cortex.dev/native/internal/guestpb"
	"golang.org/x/sys/unix"
)

func TestSignalsThatWereBlockedOrIgnoredAboveAreNotForASession(t *testing.T) {
	signal.Ignore(syscall.SIGHUP, syscall.SIGPIPE)
	defer signal.Reset(syscall.SIGHUP, syscall.SIGPIPE)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var quit, before unix.Sigset_t
	quit.Val[0] = 1<<(unix.SIGQUIT-1) | 1<<(unix.SIGUSR1-1)
	if err := unix.PthreadSigmask(unix.SIG_SETMASK, &quit, &before); err != nil {
		t.Fatal(err)
	}
	n := startNeuron(t)
	if err := unix.PthreadSigmask(unix.SIG_SETMASK, &before, nil); err != nil {
		t.Fatal(err)
	}
	n.initialize()
	r := n.output(&guestpb.ExecRequest{Argv: shell("grep -E 'Sig(Blk|Ign)' /proc/self/status")})
	if got := strings.Join(strings.Fields(string(r.stdout)), " "); got != "SigBlk: 0000000000000000 SigIgn: 0000000000000000" {
		t.Fatalf("got %q", got)
	}
}

func TestDescriptorsOfTheParentAreNotForASession(t *testing.T) {
	file, err := os.Open("/dev/null")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	n := prepareNeuron(t, "--plain")
	n.command.ExtraFiles = []*os.File{file, file}
	n.start()
	n.initialize()
	r := n.output(&guestpb.ExecRequest{Argv: words("ls", "/proc/self/fd")})
	if got := strings.Join(strings.Fields(string(r.stdout)), " "); got != "0 1 2 3" {
		t.Fatalf("got %q", got)
	}
}
