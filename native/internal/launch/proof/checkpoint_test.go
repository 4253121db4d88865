package proof

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"cortex.dev/native/internal/guestpb"
	"cortex.dev/native/internal/launch"
	"cortex.dev/native/internal/wire"
	"github.com/containerd/ttrpc"
	"golang.org/x/sys/unix"
)

// patience is far more than a step takes on a busy machine.
const patience = time.Minute

// counting is a session that goes on for as long as its sandbox.
const counting = `
import itertools, time
for i in itertools.count(1):
    print(i, flush=True)
    time.sleep(0.02)`

// withNeuron makes the real neuron the first process of a sandbox of gVisor.
func (w *world) withNeuron(id string) launch.Spec {
	w.t.Helper()
	spec := w.spec(id)
	edit(w.t, &spec, func(config map[string]any) {
		process := config["process"].(map[string]any)
		process["args"] = strings.Fields("/run/cortex/neuron serve --listen /run/cortex/channel/n.sock --mark " +
			fmt.Sprint(uint64(mark)>>launch.SessionBits) + " --own-kernel --memory 268435456 --processes 200")
		process["rlimits"] = append(process["rlimits"].([]any),
			map[string]any{"type": "RLIMIT_RTPRIO", "soft": uint64(mark), "hard": uint64(1<<64 - 1)})
		for _, mount := range config["mounts"].([]any) {
			if m := mount.(map[string]any); m["destination"] == "/run/cortex/neuron" {
				m["source"] = programs.neuron
			}
		}
	})
	return spec
}

func token(fill byte) (token wire.Token) {
	for i := range token {
		token[i] = fill
	}
	return token
}

// host is what talks to a neuron.
type host struct {
	t    testing.TB
	path string
}

func (h host) dial(purpose wire.Purpose, token wire.Token) (net.Conn, wire.HelloAck) {
	h.t.Helper()
	conn, err := net.Dial("unix", h.path)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(patience))
	answer := make([]byte, wire.HelloAckSize)
	if _, err = conn.Write(wire.Hello{Lowest: 1, Highest: 1, Purpose: purpose, Token: token}.Append(nil)); err == nil {
		_, err = conn.Read(answer)
	}
	ack, decoding := wire.DecodeHelloAck(answer)
	if err != nil || decoding != nil {
		h.t.Fatal("hello: ", err, decoding)
	}
	return conn, ack
}

func (h host) control(token wire.Token) guestpb.GuestService {
	h.t.Helper()
	conn, ack := h.dial(wire.PurposeControl, token)
	if ack.Status != wire.StatusOK {
		h.t.Fatalf("refused: %+v", ack)
	}
	client := ttrpc.NewClient(conn)
	h.t.Cleanup(func() { _ = client.Close() })
	return guestpb.NewGuestClient(client)
}

// read attaches to a session and gives its output from a cursor on, so many lines of it.
func (h host) read(token wire.Token, session string, cursor uint64, lines int) (got string, ack wire.HandshakeAck) {
	h.t.Helper()
	conn, hello := h.dial(wire.PurposeData, token)
	if hello.Status != wire.StatusOK {
		h.t.Fatalf("refused: %+v", hello)
	}
	defer conn.Close()
	frames := wire.NewReader(bufio.NewReader(conn))
	handshake := wire.Handshake{Kind: wire.KindAttach, Mode: wire.ModeObserve, Cursor: cursor, ID: session}
	if _, err := conn.Write(handshake.Append(nil)); err != nil {
		h.t.Fatal(err)
	}
	for strings.Count(got, "\n") < lines {
		frame, err := frames.Next()
		if err != nil {
			h.t.Fatalf("after %q: %v", got, err)
		}
		switch f := frame.(type) {
		case wire.HandshakeAck:
			ack = f
		case wire.Data:
			got += string(f.Bytes)
		default:
			h.t.Fatalf("after %q came %+v", got, f)
		}
	}
	return got, ack
}

// begun initializes a neuron and starts the session that counts.
func (h host) begun(token wire.Token) guestpb.GuestService {
	h.t.Helper()
	guest := h.control(wire.Token{})
	agent := &guestpb.User{Name: "agent", Uid: 1000, Gid: 1000, Home: []byte("/home/agent")}
	_, err := guest.Initialize(context.Background(), &guestpb.InitializeRequest{
		Token: token[:], Generation: 1, User: agent, WorkingDirectory: []byte("/home/agent"),
		Environment: [][]byte{[]byte("PATH=/usr/bin:/bin")},
	})
	if err == nil {
		_, err = guest.Exec(context.Background(), &guestpb.ExecRequest{
			SessionId: session, Argv: [][]byte{[]byte("/usr/bin/python3"), []byte("-c"), []byte(counting)},
		})
	}
	if err != nil {
		h.t.Fatal(err)
	}
	return guest
}

const session = "s_0000000000000001"

// quiet closes what a checkpoint cannot save, and waits until it is closed.
func (h host) quiet(guest guestpb.GuestService) {
	h.t.Helper()
	if _, err := guest.Quiesce(context.Background(), &guestpb.QuiesceRequest{CloseChannel: true, ResumeFile: []byte("resume")}); err != nil {
		h.t.Fatal(err)
	}
	until(h.t, func() bool {
		conn, err := net.Dial("unix", h.path)
		if err == nil {
			_ = conn.Close()
		}
		return err != nil
	})
}

func (w *world) checkpoint(spec launch.Spec, started launch.Started, reopen bool) (string, launch.Checkpointed) {
	w.t.Helper()
	image := w.path("image-of-" + spec.ID)
	text, status := w.call("checkpoint", launch.CheckpointSpec{
		Version: launch.Version, ID: spec.ID, Runtime: spec.Runtime, Image: image, Bundle: spec.Bundle,
		Reopen: reopen, Listen: *spec.Listen, Idmap: spec.Idmap, Pid: started.Pid,
	})
	var answer launch.Checkpointed
	if err := json.Unmarshal([]byte(text), &answer); err != nil || status != 0 {
		console, _ := os.ReadFile(spec.Console)
		w.t.Fatalf("checkpoint answered %d %s; console: %s", status, text, console)
	}
	return image, answer
}

func TestASessionGoesOnAfterItsSandboxWasSavedEndedAndRestored(t *testing.T) {
	onGvisor(t, checkASessionGoesOnAfterItsSandboxWasSavedEndedAndRestored)
}

func checkASessionGoesOnAfterItsSandboxWasSavedEndedAndRestored(t *testing.T, w *world) {
	spec := w.withNeuron("saved")
	started := w.begin(spec)
	h := host{t, spec.Listen.Path}
	old, fresh := token(1), token(2)
	guest := h.begun(old)
	before, _ := h.read(old, session, 0, 20)
	h.quiet(guest)
	image, saved := w.checkpoint(spec, started, false)
	t.Logf("it stood still for %d ms", saved.SavedMicros/1000)
	w.stop(spec, &started)

	w.must(os.MkdirAll(spec.Bundle, 0o700))
	spec.Restore = image
	began := time.Now()
	w.begin(spec)
	t.Logf("it was restored in %d ms", time.Since(began).Milliseconds())

	// The token of before opens nothing but the way to another.
	guest = h.control(old)
	info, err := guest.Info(context.Background(), &guestpb.InfoRequest{})
	if err != nil || !info.Initialized || info.Generation != 1 {
		t.Fatalf("info: %+v, %v", info, err)
	}
	if _, err := guest.ListSessions(context.Background(), &guestpb.ListSessionsRequest{}); err == nil {
		t.Error("the old token still opens calls")
	}
	if _, ack := h.dial(wire.PurposeData, old); ack.Status == wire.StatusOK {
		t.Error("the old token still opens data streams")
	}
	if _, err := guest.Initialize(context.Background(), &guestpb.InitializeRequest{Token: old[:], Generation: 2}); err == nil {
		t.Error("the old token was taken again")
	}
	if _, err := guest.Initialize(context.Background(), &guestpb.InitializeRequest{
		Token: fresh[:], Generation: 2, Environment: [][]byte{[]byte("PATH=/usr/bin:/bin"), []byte("WHO=after")},
	}); err != nil {
		t.Fatal(err)
	}

	// Still nothing runs: what was read before is what there is.
	kept, ack := h.read(fresh, session, 0, 20)
	if kept[:len(before)] != before || ack.Oldest != 0 {
		t.Errorf("the ring reads %q from %d on, before it read %q", kept, ack.Oldest, before)
	}
	time.Sleep(100 * time.Millisecond)
	if _, again := h.read(fresh, session, 0, 20); again.Newest != ack.Newest {
		t.Errorf("the session went on before Thaw, from %d to %d", ack.Newest, again.Newest)
	}
	if _, err := guest.Exec(context.Background(), &guestpb.ExecRequest{SessionId: "s_0000000000000002", Argv: [][]byte{[]byte("/bin/true")}}); err == nil {
		t.Error("a command was started before Thaw")
	}
	if _, err := guest.Thaw(context.Background(), &guestpb.ThawRequest{}); err != nil {
		t.Fatal(err)
	}
	after, _ := h.read(fresh, session, 0, 60)
	if want := numbers(strings.Count(after, "\n")); !strings.HasPrefix(after, want) {
		t.Errorf("a line is missing or twice: %q", after)
	}
	if rest, _ := h.read(fresh, session, ack.Newest, 5); !strings.HasPrefix(after[ack.Newest:], rest[:4]) {
		t.Errorf("from the cursor %d on came %q", ack.Newest, rest)
	}
	ask := [][]byte{[]byte("/bin/sh"), []byte("-c"), []byte("echo $WHO")}
	if _, err := guest.Exec(context.Background(), &guestpb.ExecRequest{SessionId: "s_0000000000000003", Argv: ask}); err != nil {
		t.Fatal(err)
	}
	if got, _ := h.read(fresh, "s_0000000000000003", 0, 1); got != "after\n" {
		t.Errorf("its environment says %q", got)
	}
}

func TestASandboxThatIsLeftRunningServesItsOwnHostAgain(t *testing.T) {
	slow(t)
	onGvisor(t, checkASandboxThatIsLeftRunningServesItsOwnHostAgain)
}

func checkASandboxThatIsLeftRunningServesItsOwnHostAgain(t *testing.T, w *world) {
	spec := w.withNeuron("left")
	started := w.begin(spec)
	h := host{t, spec.Listen.Path}
	own := token(3)
	guest := h.begun(own)
	h.read(own, session, 0, 10)
	for range 2 { // it can be done again
		h.quiet(guest)
		image, saved := w.checkpoint(spec, started, true)
		if saved.Socket == nil || saved.Socket.Path != spec.Listen.Path {
			t.Fatalf("answered %+v", saved)
		}
		w.must(os.RemoveAll(image))
		guest = h.control(own)
		if _, err := guest.Thaw(context.Background(), &guestpb.ThawRequest{}); err != nil {
			t.Fatal(err)
		}
		_, ack := h.read(own, session, 0, 10)
		lines := 10 + int(ack.Newest)/4
		if text, _ := h.read(own, session, 0, lines); !strings.HasPrefix(text, numbers(lines)) {
			t.Errorf("a line is missing or twice: %q", text)
		}
	}
}

func TestACheckpointThatFailsOpensTheChannelAgain(t *testing.T) {
	slow(t)
	onGvisor(t, checkACheckpointThatFailsOpensTheChannelAgain)
}

func checkACheckpointThatFailsOpensTheChannelAgain(t *testing.T, w *world) {
	spec := w.withNeuron("failing")
	started := w.begin(spec)
	h := host{t, spec.Listen.Path}
	own := token(4)
	guest := h.begun(own)
	// A socket on the disk is one of the host's, which cannot be saved.
	const socket = `import socket, time
s = socket.socket(socket.AF_UNIX); s.bind("socket"); print("bound", flush=True); time.sleep(600)`
	if _, err := guest.Exec(context.Background(), &guestpb.ExecRequest{
		SessionId: "s_0000000000000002", Argv: [][]byte{[]byte("/usr/bin/python3"), []byte("-c"), []byte(socket)},
	}); err != nil {
		t.Fatal(err)
	}
	h.read(own, "s_0000000000000002", 0, 1)
	h.quiet(guest)
	text, status := w.call("checkpoint", launch.CheckpointSpec{
		Version: launch.Version, ID: spec.ID, Runtime: spec.Runtime, Image: w.path("none"), Bundle: spec.Bundle,
		Listen: *spec.Listen, Idmap: spec.Idmap, Pid: started.Pid,
	})
	if status != 1 || !strings.Contains(text, "bound host socket") || strings.Contains(text, "goroutine") {
		t.Errorf("answered %d %s", status, text)
	}
	guest = h.control(own)
	if _, err := guest.Thaw(context.Background(), &guestpb.ThawRequest{}); err != nil {
		t.Fatal(err)
	}
	_, ack := h.read(own, session, 0, 10)
	h.read(own, session, 0, 10+int(ack.Newest)/4)
}

func TestNothingInsideCanTouchTheChannelOfGvisor(t *testing.T) {
	onGvisor(t, checkNothingInsideCanTouchTheChannel)
}

func checkNothingInsideCanTouchTheChannel(t *testing.T, w *world) {
	spec := w.spec("channel")
	_, box := w.start(spec)
	// gVisor answers these with success; they must do nothing.
	box.ask(request{Argv: []string{"/bin/sh", "-c", "chmod 777 /run/cortex/channel; chown 0:0 /run/cortex/channel"}})
	for _, try := range []string{
		"ls /run/cortex/channel", "touch /run/cortex/channel/x", "rm /run/cortex/channel/n.sock",
		"ln -s /etc/passwd /run/cortex/channel/y", "mv /run/cortex/channel/n.sock /run/cortex/channel/z",
		"umount /run/cortex/channel", "mount -t tmpfs tmpfs /run/cortex/channel", "rmdir /run/cortex/channel",
	} {
		for _, uid := range []uint32{0, 1000} {
			if output, status := box.ask(request{Argv: []string{"/bin/sh", "-c", try}, UID: uid}); status == 0 {
				t.Errorf("uid %d did %q: %s", uid, try, output)
			}
		}
	}
	var folder unix.Stat_t
	w.must(unix.Stat(spec.Listen.Shared, &folder))
	names, err := os.ReadDir(spec.Listen.Shared)
	w.must(err)
	if folder.Mode&0o7777 != 0o700 || folder.Uid != 0 || len(names) != 1 {
		t.Errorf("the folder has mode %o, owner %d and %v in it", folder.Mode, folder.Uid, names)
	}
	dial(t, spec.Listen.Path).sh(1000, "true")
}

func TestOnlyGvisorTakesAndRestoresCheckpoints(t *testing.T) {
	w := newWorld(t)
	spec := w.spec("crun")
	spec.Restore = w.path("image")
	w.failed(spec, launch.Unsupported, "crun")
}

// numbers are the lines 1 to n.
func numbers(n int) string {
	return strings.Join(slices.Collect(func(yield func(string) bool) {
		for i := 1; i <= n && yield(fmt.Sprintf("%d\n", i)); i++ {
		}
	}), "")
}
