package pool

import (
	"bytes"
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"cortex.dev/native/internal/launch"
	"golang.org/x/sys/unix"
)

func TestAPoolWhoseMakerWasKilledIsMadeByTheNext(t *testing.T) {
	needsRoot(t)
	for _, step := range []string{
		"image.allocated", "image.formatted", "image.named", "pool.attached", "pool.mounted", "pool.quotas",
	} {
		t.Run(step, func(t *testing.T) {
			home := t.TempDir()
			killedAt(t, home, step)
			state := opened(t, small(home))
			if !state.Ready || !state.Limits || len(devices(t, home)) != 1 {
				t.Fatalf("%+v, %v", state, devices(t, home))
			}
			if exists(filepath.Join(home, "disks.img.new")) {
				t.Fatal("the unfinished image is left")
			}
			disk := makeDisk(t, state, "a", 4<<20)
			if err := os.WriteFile(filepath.Join(disk, "f"), make([]byte, 8<<20), 0o600); !errors.Is(err, unix.EDQUOT) {
				t.Fatal("its limit does not hold:", err)
			}
		})
	}
}

func TestAGrowthThatWasKilledIsFinishedByTheNext(t *testing.T) {
	needsRoot(t)
	for _, step := range []string{"grow.allocated", "grow.device", "grow.filesystem"} {
		t.Run(step, func(t *testing.T) {
			home := t.TempDir()
			state := opened(t, small(home))
			disk := makeDisk(t, state, "a", 0)
			if err := os.WriteFile(filepath.Join(disk, "f"), []byte("kept"), 0o600); err != nil {
				t.Fatal(err)
			}
			killedAt(t, home, step)
			if grown := carried(t, small(home)); grown.TotalBytes != 320<<20 {
				t.Fatalf("%+v", grown)
			}
			if text, err := os.ReadFile(filepath.Join(disk, "f")); err != nil || string(text) != "kept" {
				t.Fatal(string(text), err)
			}
		})
	}
}

func TestAPoolNeverGrowsIntoAFullHost(t *testing.T) {
	host := hostDisk(t, 480)
	spec := small(host)
	state := opened(t, spec)
	spec.Grow = true
	if grown := carried(t, spec); grown.TotalBytes <= state.TotalBytes {
		t.Fatalf("%+v", grown)
	}
	var failure *launch.Failure
	for range 8 {
		if _, err := Of(spec).Carry(); err != nil {
			if !errors.As(err, &failure) || failure.Code != launch.DiskFull || failure.Remedy == "" {
				t.Fatal(err)
			}
			break
		}
	}
	if failure == nil {
		t.Fatal("it grew on and on")
	}
	if _, free, err := space(host); err != nil || free < spec.MarginBytes {
		t.Fatalf("%d bytes are left to the host, %v", free, err)
	}
}

func TestAHostWithoutRoomGetsNoPool(t *testing.T) {
	host := hostDisk(t, 200)
	var failure *launch.Failure
	if _, err := Of(small(host)).Carry(); !errors.As(err, &failure) || failure.Code != launch.DiskFull {
		t.Fatal(err)
	}
	if exists(filepath.Join(host, "disks.img")) || exists(filepath.Join(host, "disks.img.new")) {
		t.Fatal("something was left")
	}
}

func TestWhatWasWrittenOnAFullHostIsThereAfterwards(t *testing.T) {
	host := hostDisk(t, 400)
	state := opened(t, small(host))
	run(t, host, "dd if=/dev/zero of=filler bs=1M 2>/dev/null || true; dd if=/dev/zero of=filler2 bs=4k 2>/dev/null || true")
	disk := makeDisk(t, state, "a", 0)
	content := make([]byte, 48<<20)
	_, _ = rand.Read(content)
	file, err := os.Create(filepath.Join(disk, "f"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(file.Sync(), file.Close()); err != nil {
		t.Fatal(err)
	}
	// To the end of the pool as well: an error for the writer, nothing else.
	if err := os.WriteFile(filepath.Join(disk, "bomb"), make([]byte, 256<<20), 0o600); !errors.Is(err, unix.ENOSPC) {
		t.Fatal(err)
	}
	closed(t, small(host))
	again := carried(t, small(host))
	if !again.Ready || again.Problem != "" {
		t.Fatalf("%+v", again)
	}
	if read, err := os.ReadFile(filepath.Join(disk, "f")); err != nil || !bytes.Equal(read, content) {
		t.Fatal("other content,", err)
	}
}

func TestAPoolThatWasForcedReadOnlyIsReportedAndMountedAnew(t *testing.T) {
	host := hostDisk(t, 400)
	state := opened(t, small(host))
	disk := makeDisk(t, state, "a", 0)
	if err := os.WriteFile(filepath.Join(disk, "before"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, host, "sync -f "+disk)
	// What the pool itself never does: holes in the image, and a full host.
	run(t, host, "fallocate --dig-holes disks.img; dd if=/dev/zero of=filler bs=1M 2>/dev/null || true; dd if=/dev/zero of=filler2 bs=4k 2>/dev/null || true")
	broken := false
	for i := 0; i < 40 && !broken; i++ {
		content := make([]byte, 4<<20)
		_, _ = rand.Read(content)
		_ = os.WriteFile(filepath.Join(disk, "f"), content, 0o600)
		if file, err := os.Open(disk); err == nil {
			_ = file.Sync()
			_ = unix.Syncfs(int(file.Fd()))
			_ = file.Close()
		}
		broken = writable(state.Folder) != nil
	}
	if !broken {
		t.Fatal("btrfs did not give up")
	}
	look := small(host)
	look.Make = false
	if seen := carried(t, look); seen.Ready || seen.Problem == "" || seen.Remedy == "" {
		t.Fatalf("%+v", seen)
	}
	run(t, host, "rm -f filler filler2")
	if again := carried(t, small(host)); !again.Ready || again.Problem != "" {
		t.Fatalf("%+v", again)
	}
	if _, err := os.ReadFile(filepath.Join(disk, "before")); err != nil {
		t.Fatal(err)
	}
}
