package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cortex.dev/native/internal/files"
	"cortex.dev/native/internal/guestpb"
	"cortex.dev/native/internal/testkit/need"
	"cortex.dev/native/internal/wire"
	"golang.org/x/sys/unix"
)

// watching is a watch's stream, whose changes are words such as "created folder a/b".
type watching struct {
	*client
	root    string
	changes []string
	last    wire.Frame
}

func (n *neuron) prepareWatch(id, path string, recursive bool) error {
	n.t.Helper()
	_, err := n.guest.Watch(context.Background(), &guestpb.WatchRequest{WatchId: id, Path: []byte(path), Recursive: recursive})
	return err
}

// openWatch opens the stream of a prepared watch; its first frame stands in first where it is no HandshakeAck.
func (n *neuron) openWatch(id string) *client {
	n.t.Helper()
	conn, ack := n.dial(wire.PurposeData, n.token)
	if ack.Status != wire.StatusOK {
		n.t.Fatalf("data stream refused: %+v", ack)
	}
	c := &client{t: n.t, conn: conn, frames: wire.NewReader(bufio.NewReader(conn))}
	c.send(wire.Handshake{Kind: wire.KindWatch, ID: id})
	first := c.next()
	if _, ok := first.(wire.HandshakeAck); !ok {
		c.first = first
	}
	return c
}

func (n *neuron) watch(path string, recursive bool) *watching {
	n.t.Helper()
	id := fmt.Sprintf("w_%016d", n.ids.Add(1))
	if err := n.prepareWatch(id, path, recursive); err != nil {
		n.t.Fatal(err)
	}
	c := n.openWatch(id)
	if c.first != nil {
		n.t.Fatalf("watch: %+v", c.first)
	}
	return &watching{client: c, root: path}
}

var changeWords = map[uint8]string{1: "created", 2: "modified", 3: "removed", 4: "moved", 5: "attributes", 6: "rescan"}

func (w *watching) read() bool {
	w.t.Helper()
	data, ok := w.next2()
	for p := data; len(p) > 0; {
		words := changeWords[p[0]]
		if p[1] == 1 {
			words += " folder"
		}
		p = p[2:]
		var paths [2]string
		for i := range paths {
			length := int(binary.BigEndian.Uint16(p))
			paths[i] = strings.TrimPrefix(strings.TrimPrefix(string(p[2:2+length]), w.root), "/")
			p = p[2+length:]
		}
		if paths[1] != "" {
			paths[0] = paths[1] + " -> " + paths[0]
		}
		w.changes = append(w.changes, strings.TrimSpace(words+" "+paths[0]))
	}
	return ok
}

func (w *watching) next2() ([]byte, bool) {
	w.t.Helper()
	frame := w.next()
	if data, ok := frame.(wire.Data); ok {
		return data.Bytes, true
	}
	w.last = frame
	return nil, false
}

// until reads up to a change, and returns all before it too.
func (w *watching) until(change string) []string {
	w.t.Helper()
	for !slices.Contains(w.changes, change) {
		if !w.read() {
			w.t.Fatalf("no %q in %q before %+v", change, w.changes, w.last)
		}
	}
	all := w.changes
	w.changes = nil
	return all
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestEachChangeOfAWatchedTreeIsToldInItsOrder(t *testing.T) {
	n, root := readyNeuron(t), t.TempDir()
	must(t, os.MkdirAll(filepath.Join(root, "old/deep"), 0o755))
	w := n.watch(root, true)
	must(t, os.WriteFile(filepath.Join(root, "old/deep/f"), []byte("x"), 0o600))
	must(t, os.Chmod(filepath.Join(root, "old/deep/f"), 0o644))
	must(t, os.Rename(filepath.Join(root, "old/deep/f"), filepath.Join(root, "g")))
	must(t, os.Remove(filepath.Join(root, "g")))
	want := []string{
		"created old/deep/f", "modified old/deep/f", "attributes old/deep/f", "moved old/deep/f -> g", "removed g",
	}
	if got := w.until("removed g"); !slices.Equal(got, want) {
		t.Fatalf("got %q", got)
	}
}

func TestWhatIsInANewFolderIsToldOnceAndWatchedToo(t *testing.T) {
	n, root := readyNeuron(t), t.TempDir()
	w := n.watch(root, true)
	for i := range 50 {
		deep := filepath.Join(root, fmt.Sprintf("d%d/e/f", i))
		must(t, os.MkdirAll(deep, 0o755))
		must(t, os.WriteFile(filepath.Join(deep, "file"), nil, 0o600))
	}
	seen := map[string]int{}
	for len(seen) < 200 {
		if !w.read() {
			t.Fatalf("ended with %+v", w.last)
		}
		for _, change := range w.changes {
			if strings.HasPrefix(change, "created") {
				seen[change]++
			}
		}
		w.changes = nil
	}
	for i := range 50 {
		if seen[fmt.Sprintf("created d%d/e/f/file", i)] == 0 || seen[fmt.Sprintf("created folder d%d/e/f", i)] == 0 {
			t.Fatalf("of d%d only this was told: %v", i, seen)
		}
	}
	must(t, os.WriteFile(filepath.Join(root, "d7/e/f/file"), []byte("x"), 0o600))
	w.until("modified d7/e/f/file")
}

func TestWhatLeavesANewFolderAtOnceIsNotLeftStandingThere(t *testing.T) {
	n, root := readyNeuron(t), t.TempDir()
	w := n.watch(root, true)
	const rounds = 200
	for i := range rounds {
		deep := filepath.Join(root, fmt.Sprintf("d%d/e", i))
		must(t, os.MkdirAll(deep, 0o755))
		must(t, os.WriteFile(filepath.Join(deep, "f"), nil, 0o600))
		// At any moment of the neuron's looking at the new folder.
		time.Sleep(time.Duration(i%40) * 20 * time.Microsecond)
		must(t, os.Rename(filepath.Join(deep, "f"), filepath.Join(root, fmt.Sprintf("g%d", i))))
	}
	must(t, os.WriteFile(filepath.Join(root, "last"), nil, 0o600))
	there := map[string]bool{}
	for _, change := range w.until("created last") {
		kind, path, _ := strings.Cut(change, " ")
		from, to, _ := strings.Cut(path, " -> ")
		switch kind {
		case "created":
			there[path] = true
		case "removed":
			delete(there, path)
		case "moved":
			delete(there, from)
			there[to] = true
		}
	}
	for i := range rounds {
		if there[fmt.Sprintf("d%d/e/f", i)] {
			t.Errorf("that d%d/e/f left was not told", i)
		}
		if !there[fmt.Sprintf("g%d", i)] {
			t.Errorf("that g%d came was not told", i)
		}
	}
}

func TestAFolderThatMovesIsWatchedInItsNewPlace(t *testing.T) {
	n, root := readyNeuron(t), t.TempDir()
	must(t, os.MkdirAll(filepath.Join(root, "a/b/c"), 0o755))
	must(t, os.Mkdir(filepath.Join(root, "z"), 0o755))
	w := n.watch(root, true)
	must(t, os.Rename(filepath.Join(root, "a/b"), filepath.Join(root, "z/y")))
	w.until("moved folder a/b -> z/y")
	must(t, os.WriteFile(filepath.Join(root, "z/y/c/f"), nil, 0o600))
	w.until("created z/y/c/f")

	outside := filepath.Join(t.TempDir(), "out")
	must(t, os.Rename(filepath.Join(root, "z/y"), outside))
	w.until("removed folder z/y")
	must(t, os.WriteFile(filepath.Join(outside, "c/unseen"), nil, 0o600))
	must(t, os.Rename(outside, filepath.Join(root, "back")))
	if got := w.until("created back/c/unseen"); slices.Contains(got, "created z/y/c/unseen") {
		t.Fatalf("got %q", got)
	}
	must(t, os.Remove(filepath.Join(root, "back/c/unseen")))
	w.until("removed back/c/unseen")
}

func TestAWatchThatIsNotRecursiveStaysAtTheTop(t *testing.T) {
	n, root := readyNeuron(t), t.TempDir()
	must(t, os.Mkdir(filepath.Join(root, "d"), 0o755))
	w := n.watch(root, false)
	must(t, os.WriteFile(filepath.Join(root, "d/f"), nil, 0o600))
	must(t, os.Mkdir(filepath.Join(root, "e"), 0o755))
	must(t, os.WriteFile(filepath.Join(root, "e/f"), nil, 0o600))
	must(t, os.WriteFile(filepath.Join(root, "last"), nil, 0o600))
	if got := w.until("created last"); slices.Contains(got, "created d/f") || slices.Contains(got, "created e/f") {
		t.Fatalf("got %q", got)
	}
}

func TestAWatchedFileIsFollowedOverItsReplacement(t *testing.T) {
	n, root := readyNeuron(t), t.TempDir()
	file := filepath.Join(root, "f")
	must(t, os.WriteFile(file, nil, 0o600))
	w := n.watch(file, false)
	must(t, os.WriteFile(filepath.Join(root, "other"), []byte("x"), 0o600))
	must(t, os.WriteFile(file, []byte("x"), 0o600))
	w.root = root
	if got := w.until("modified f"); len(got) != 1 {
		t.Fatalf("got %q", got)
	}
	must(t, os.Rename(filepath.Join(root, "other"), file))
	w.until("created f")
	must(t, os.WriteFile(file, []byte("y"), 0o600))
	w.until("modified f")
}

func TestAWatchEndsWithWhatItWatches(t *testing.T) {
	n := readyNeuron(t)
	root := filepath.Join(t.TempDir(), "root")
	must(t, os.Mkdir(root, 0o755))
	w := n.watch(root, true)
	must(t, os.Remove(root))
	w.until("removed folder")
	if w.read(); w.last != (wire.Exit{Cause: uint8(exited)}) {
		t.Fatalf("got %+v", w.last)
	}
}

func TestNamesAreToldByteForByte(t *testing.T) {
	n, root := readyNeuron(t), t.TempDir()
	w := n.watch(root, true)
	must(t, os.WriteFile(filepath.Join(root, "a\xff\n b"), nil, 0o600))
	w.until("created a\xff\n b")
}

func TestAnOverflowIsToldAndNothingBehindItIsMissed(t *testing.T) {
	n, root := readyNeuron(t), t.TempDir()
	must(t, os.Mkdir(filepath.Join(root, "d"), 0o755))
	w := n.watch(root, true)
	// The host reads nothing: first the stream fills, then the kernel's queue.
	long := strings.Repeat("n", 200)
	for i := range 14_000 {
		name := filepath.Join(root, "d", fmt.Sprintf("%s%d", long, i))
		must(t, os.WriteFile(name, nil, 0o600))
		must(t, os.Remove(name))
	}
	must(t, os.Mkdir(filepath.Join(root, "during"), 0o755))
	w.until("rescan folder")
	must(t, os.WriteFile(filepath.Join(root, "during/behind"), nil, 0o600))
	w.until("created during/behind")
}

func TestALinkIsNotFollowedIntoAnotherTree(t *testing.T) {
	n, root, other := readyNeuron(t), t.TempDir(), t.TempDir()
	must(t, os.Symlink(other, filepath.Join(root, "before")))
	w := n.watch(root, true)
	must(t, os.Symlink(other, filepath.Join(root, "after")))
	w.until("created after")
	must(t, os.WriteFile(filepath.Join(other, "secret"), nil, 0o600))
	must(t, os.WriteFile(filepath.Join(root, "last"), nil, 0o600))
	for _, change := range w.until("created last") {
		if strings.Contains(change, "secret") {
			t.Fatalf("got %q", change)
		}
	}
}

func TestWatchesAreBoundedAndGivenBack(t *testing.T) {
	n, root := readyNeuron(t), t.TempDir()
	var open []*watching
	for range files.WatchesMost {
		open = append(open, n.watch(root, true))
	}
	must(t, n.prepareWatch("w_more", root, true))
	if e, ok := n.openWatch("w_more").first.(wire.Error); !ok || e.Code != "CAPACITY" {
		t.Fatalf("got %+v", e)
	}
	_ = open[0].conn.Close()
	until(t, func() bool {
		id := fmt.Sprintf("w_%016d", n.ids.Add(1))
		must(t, n.prepareWatch(id, root, true))
		return n.openWatch(id).first == nil
	}, "a watch that ended makes no room")
}

func TestATreeOfTooManyFoldersIsRefusedAndOneThatGrowsTooLargeSaysSo(t *testing.T) {
	need.Time(t)
	n, root := readyNeuron(t), t.TempDir()
	w := n.watch(root, true)
	for i := range files.FoldersMost + 1 {
		must(t, os.Mkdir(filepath.Join(root, fmt.Sprint(i)), 0o755))
	}
	for w.read() {
	}
	if e, ok := w.last.(wire.Error); !ok || e.Code != "CAPACITY" {
		t.Fatalf("got %+v", w.last)
	}
	if !slices.ContainsFunc(w.changes, func(c string) bool { return strings.HasPrefix(c, "rescan") }) {
		t.Fatal("that changes were missed was not told")
	}
	must(t, n.prepareWatch("w_large", root, true))
	if e, ok := n.openWatch("w_large").first.(wire.Error); !ok || e.Code != "CAPACITY" {
		t.Fatalf("got %+v", e)
	}
}

func TestAWatchOfNothingIsRefused(t *testing.T) {
	n := readyNeuron(t)
	for path, code := range map[string]string{"/no/such/folder": "NOT_FOUND", "": "INVALID_ARGUMENT", "a\x00b": "INVALID_ARGUMENT"} {
		if err := n.prepareWatch("w_none", path, true); err == nil || codeOf(err) != code {
			t.Errorf("%q: got %v", path, err)
		}
	}
	if e := n.openWatch("w_unknown").first.(wire.Error); e.Code != "NOT_FOUND" {
		t.Fatalf("got %+v", e)
	}
}

func TestAllInotifyInstancesTakenInsideIsSaidAndPasses(t *testing.T) {
	n, root := readyNeuron(t), t.TempDir()
	// A plain neuron shares this test's user, so the test can be the greedy one.
	var taken []int
	release := func() {
		for _, fd := range taken {
			_ = unix.Close(fd)
		}
		taken = nil
	}
	defer release()
	for range 100_000 {
		fd, err := unix.InotifyInit1(unix.IN_CLOEXEC)
		if err != nil {
			break
		}
		taken = append(taken, fd)
	}
	must(t, n.prepareWatch("w_greedy", root, true))
	if e, ok := n.openWatch("w_greedy").first.(wire.Error); !ok || e.Code != "CAPACITY" || !strings.Contains(e.Message, "inotify") {
		t.Fatalf("got %+v", e)
	}
	release()
	w := n.watch(root, true)
	must(t, os.WriteFile(filepath.Join(root, "f"), nil, 0o600))
	w.until("created f")
}

func TestAHostThatLeavesEndsItsWatch(t *testing.T) {
	n, root := readyNeuron(t), t.TempDir()
	before := descriptorsOf(t, n.command.Process.Pid)
	w := n.watch(root, true)
	_ = w.conn.Close()
	until(t, func() bool { return descriptorsOf(t, n.command.Process.Pid) <= before }, "the inotify instance stays open")
}

func descriptorsOf(t testing.TB, pid int) int {
	t.Helper()
	entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	must(t, err)
	return len(entries)
}

func TestAFloodOfChangesLeavesTheNeuronUsable(t *testing.T) {
	n, root := readyNeuron(t), t.TempDir()
	n.watch(root, true) // and never read
	flood := n.exec(&guestpb.ExecRequest{
		Argv:      words("sh", "-c", `while :; do echo > "$0/f"; mkdir "$0/d"; rmdir "$0/d"; done`, root),
		TimeoutMs: 3_000,
	})
	for range 20 {
		if r := n.output(&guestpb.ExecRequest{Argv: words("echo", "here")}); string(r.stdout) != "here\n" {
			t.Fatalf("got %q", r.stdout)
		}
	}
	if ended := n.await(flood.Id); ended.Cause != timedOut {
		t.Fatalf("the flood ended by itself: %+v", ended)
	}
}
