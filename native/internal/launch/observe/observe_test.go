package observe

import (
	"os/exec"
	"testing"
	"time"

	"cortex.dev/native/internal/launch"
	"cortex.dev/native/internal/launch/process"
	"golang.org/x/sys/unix"
)

func TestAProcessIsSeenRunningPausedAndAbsent(t *testing.T) {
	command := exec.Command("sleep", "300")
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = command.Process.Kill(); _ = command.Wait() }()
	handle := handleOf(t, command.Process.Pid)
	expect(t, handle, launch.Running)

	if err := command.Process.Signal(unix.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	for stat := (process.Stat{}); stat.State != 'T'; time.Sleep(time.Millisecond) {
		stat, _ = process.ReadStat(handle.Pid)
	}
	expect(t, handle, launch.Paused)

	_ = command.Process.Kill()
	for stat := (process.Stat{}); !stat.Dead(); time.Sleep(time.Millisecond) {
		stat, _ = process.ReadStat(handle.Pid)
	}
	expect(t, handle, launch.Absent) // a zombie
	_ = command.Wait()
	expect(t, handle, launch.Absent) // gone
}

func TestAPidAloneIsNoIdentity(t *testing.T) {
	command := exec.Command("sleep", "300")
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = command.Process.Kill(); _ = command.Wait() }()
	handle := handleOf(t, command.Process.Pid)
	later, otherBoot, vague := handle, handle, handle
	later.StartTime--
	otherBoot.BootID = "00000000-0000-0000-0000-000000000000"
	vague.BootID = ""
	expect(t, later, launch.Absent)
	expect(t, otherBoot, launch.Absent)
	expect(t, vague, launch.Unknown)
}

func handleOf(t *testing.T, pid int) launch.Observe {
	t.Helper()
	boot, err := process.BootID()
	if err != nil {
		t.Fatal(err)
	}
	stat, err := process.ReadStat(pid)
	if err != nil {
		t.Fatal(err)
	}
	return launch.Observe{Key: "k", Pid: pid, StartTime: stat.StartTime, BootID: boot}
}

func expect(t *testing.T, handle launch.Observe, want launch.State) {
	t.Helper()
	observed, err := All(launch.ObserveSpec{Version: launch.Version, Handles: []launch.Observe{handle}})
	if err != nil {
		t.Fatal(err)
	}
	if got := observed.Observations["k"]; got.State != want {
		t.Fatalf("saw %+v, want %s", got, want)
	}
}
