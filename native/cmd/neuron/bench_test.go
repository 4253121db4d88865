package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"cortex.dev/native/internal/guestpb"
	"cortex.dev/native/internal/wire"
)

// These run against the program that is shipped:
//
//	CORTEX_BENCH_NEURON=$PWD/out/bin/neuron go test -C native ./cmd/neuron -run '^$' -bench . -benchtime 1000x

// benchNeuron is a neuron of its own size: the test binary is larger.
func benchNeuron(b *testing.B) *neuron {
	b.Helper()
	// Pages of a program that was just written count as dirty memory of the process that maps them.
	syscall.Sync()
	n := prepareNeuron(b, "--plain")
	if path := os.Getenv("CORTEX_BENCH_NEURON"); path != "" {
		n.command = exec.Command(path, n.command.Args[1:]...)
	}
	n.start()
	n.initialize()
	return n
}

func BenchmarkStartToServing(b *testing.B) {
	for b.Loop() {
		socket := filepath.Join(b.TempDir(), "s")
		path := os.Getenv("CORTEX_BENCH_NEURON")
		if path == "" {
			path = os.Args[0]
		}
		command := exec.Command(path, "serve", "--listen", socket, "--plain")
		command.Env = append(os.Environ(), runAsNeuron+"=1")
		if err := command.Start(); err != nil {
			b.Fatal(err)
		}
		for {
			conn, err := net.Dial("unix", socket)
			if err == nil {
				_, _ = conn.Write(wire.Hello{Lowest: 1, Highest: 1, Purpose: wire.PurposeControl}.Append(nil))
				if _, err := conn.Read(make([]byte, 1)); err != nil {
					b.Fatal(err)
				}
				_ = conn.Close()
				break
			}
			time.Sleep(50 * time.Microsecond)
		}
		_ = command.Process.Kill()
		_ = command.Wait()
	}
}

func BenchmarkInfo(b *testing.B) {
	n := benchNeuron(b)
	idle := privateKiB(b, n)
	for b.Loop() {
		if _, err := n.guest.Info(context.Background(), &guestpb.InfoRequest{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(idle, "idle-KiB")
	report(b, n)
}

func BenchmarkStatusOfASession(b *testing.B) {
	n := benchNeuron(b)
	info := n.exec(&guestpb.ExecRequest{Argv: words("sleep", "1000")})
	for b.Loop() {
		if _, err := n.guest.SessionStatus(context.Background(), &guestpb.SessionStatusRequest{SessionId: info.Id}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkExecToExit is a whole command as the host sees it: Exec, attach on a new stream, Exit.
func BenchmarkExecToExit(b *testing.B) {
	n := benchNeuron(b)
	for b.Loop() {
		if r := n.output(&guestpb.ExecRequest{Argv: words("/bin/true")}); r.exit == nil {
			b.Fatal("no exit")
		}
	}
	report(b, n)
}

func BenchmarkOutput(b *testing.B) {
	n := benchNeuron(b)
	info := n.exec(&guestpb.ExecRequest{Argv: words("cat", "/dev/zero"), Claim: true})
	c := n.attach(info.Id, wire.ModeHold, 0)
	buffer := make([]byte, 256<<10)
	const chunk = 64 << 20
	b.SetBytes(chunk)
	before := cpuMillis(b, n.command.Process.Pid)
	for b.Loop() {
		for left := chunk; left > 0; {
			k, err := c.conn.Read(buffer)
			if err != nil {
				b.Fatal(err)
			}
			left -= k
		}
	}
	used := cpuMillis(b, n.command.Process.Pid) - before
	b.ReportMetric(used*(1<<30)/chunk/float64(b.N), "cpu-ms/GiB")
}

// cpuMillis is the processor time that a process has used.
func cpuMillis(b *testing.B, pid int) float64 {
	b.Helper()
	total := 0.0
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	if err != nil {
		b.Fatal(err)
	}
	for _, path := range tasks {
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		var nanos float64
		if _, err := fmt.Sscan(string(text), &nanos); err == nil {
			total += nanos / 1e6
		}
	}
	return total
}

// report tells the neuron's private memory and its threads.
func report(b *testing.B, n *neuron) {
	b.Helper()
	b.ReportMetric(privateKiB(b, n), "used-KiB")
	tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", n.command.Process.Pid))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(len(tasks)), "threads")
}

func privateKiB(b *testing.B, n *neuron) (kib float64) {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", n.command.Process.Pid))
	if err != nil {
		b.Fatal(err)
	}
	for line := range strings.SplitSeq(string(text), "\n") {
		if k, _ := fmt.Sscanf(line, "Private_Dirty: %f kB", &kib); k == 1 {
			return kib
		}
	}
	b.Fatal("no private memory in smaps_rollup")
	return 0
}

// benchFile is what the benchmarks of transfers move.
const benchFile = 64 << 20

func BenchmarkPull(b *testing.B) {
	n := benchNeuron(b)
	path := filepath.Join(b.TempDir(), "file")
	write(b, path, strings.Repeat("x", benchFile), 0o644)
	buffer := make([]byte, 256<<10)
	b.SetBytes(benchFile)
	i := 0
	for b.Loop() {
		i++
		c := n.transfer(&guestpb.CopyRequest{TransferId: fmt.Sprint("t_", i), Direction: 2, Shape: 1, Path: []byte(path)})
		for left := benchFile; left > 0; {
			k, err := c.conn.Read(buffer)
			if err != nil {
				b.Fatal(err)
			}
			left -= k
		}
		_ = c.conn.Close()
	}
}

func BenchmarkPush(b *testing.B) {
	n := benchNeuron(b)
	path := filepath.Join(b.TempDir(), "file")
	frame := wire.Data{Bytes: make([]byte, wire.DataMost)}.Append(nil)
	b.SetBytes(benchFile)
	i := 0
	for b.Loop() {
		i++
		c := n.transfer(&guestpb.CopyRequest{TransferId: fmt.Sprint("t_", i), Direction: 1, Shape: 1, Path: []byte(path)})
		for range benchFile / wire.DataMost {
			if _, err := c.conn.Write(frame); err != nil {
				b.Fatal(err)
			}
		}
		c.send(wire.Eof{})
		if r := c.finish(); r.exit == nil {
			b.Fatalf("got %+v", r)
		}
		_ = c.conn.Close()
	}
}
