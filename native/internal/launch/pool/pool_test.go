package pool

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"cortex.dev/native/internal/launch"
	"golang.org/x/sys/unix"
)

func TestAPoolIsMadeFoundAgainAndLetGo(t *testing.T) {
	home := t.TempDir()
	spec := small(home)
	spec.Make = false
	if state := carried(t, spec); state.Kind != launch.ImagePool || state.Ready || !state.Limits || exists(filepath.Join(home, "disks.img")) {
		t.Fatalf("asking made something: %+v", state)
	}
	first := opened(t, small(home))
	if !first.Ready || !first.Limits || first.Device == "" || first.TotalBytes != 256<<20 {
		t.Fatalf("made %+v", first)
	}
	disk := makeDisk(t, first, "a", 0)
	if err := os.WriteFile(filepath.Join(disk, "file"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if again := carried(t, small(home)); again.Device != first.Device || len(devices(t, home)) != 1 {
		t.Fatalf("it was attached twice: %+v, %v", again, devices(t, home))
	}
	closed(t, small(home))
	if left := devices(t, home); len(left) > 0 || mountRoot(first.Folder) {
		t.Fatalf("left %v", left)
	}
	spec.Mount = true
	if again := carried(t, spec); !again.Ready {
		t.Fatalf("mounted again %+v", again)
	}
	if text, err := os.ReadFile(filepath.Join(disk, "file")); err != nil || string(text) != "x" {
		t.Fatal(string(text), err)
	}
}

func TestAPoolThatAnotherLauncherWorksOnIsWaitedForAndThenBusy(t *testing.T) {
	home := t.TempDir()
	other := &Pool{spec: small(home), within: time.Millisecond}
	unlock, err := other.lock()
	if err != nil {
		t.Fatal(err)
	}
	var failure *launch.Failure
	if _, err := other.Carry(); !errors.As(err, &failure) || failure.Code != launch.Busy {
		t.Errorf("answered %v", err)
	}
	carried := make(chan error, 1)
	go func() {
		pool := &Pool{spec: launch.PoolSpec{Home: home, Choice: launch.PoolFolder, Make: true}, within: time.Minute}
		_, err := pool.Carry()
		carried <- err
	}()
	unlock()
	select {
	case err := <-carried:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(2 * time.Minute):
		t.Fatal("the second launcher waits on")
	}
}

func TestNothingOfAPoolCanBeRunAsAnotherUserOrOpenedAsADevice(t *testing.T) {
	state := opened(t, small(t.TempDir()))
	var facts unix.Statfs_t
	if err := unix.Statfs(state.Folder, &facts); err != nil || facts.Flags&unix.ST_NOSUID == 0 || facts.Flags&unix.ST_NODEV == 0 {
		t.Fatalf("flags %x, %v", facts.Flags, err)
	}
	for _, folder := range []string{state.Folder, makeDisk(t, state, "a", 0)} {
		if info, err := os.Stat(folder); err != nil || info.Mode().Perm() != 0o700 {
			t.Fatal(folder, info.Mode(), err)
		}
	}
}

func TestTheImageHasNoHoleAndNobodyPunchesOne(t *testing.T) {
	home := t.TempDir()
	state := opened(t, small(home))
	var stat unix.Stat_t
	if err := unix.Stat(filepath.Join(home, "disks.img"), &stat); err != nil || stat.Blocks*512 < stat.Size {
		t.Fatalf("%d of %d bytes, %v", stat.Blocks*512, stat.Size, err)
	}
	run(t, home, "! fstrim "+state.Folder+" 2>/dev/null")
	if err := unix.Stat(filepath.Join(home, "disks.img"), &stat); err != nil || stat.Blocks*512 < stat.Size {
		t.Fatalf("after trimming %d of %d bytes, %v", stat.Blocks*512, stat.Size, err)
	}
	closed(t, small(home))
	run(t, home, "cp --sparse=always disks.img copy && mv copy disks.img")
	carried(t, small(home))
	if err := unix.Stat(filepath.Join(home, "disks.img"), &stat); err != nil || stat.Blocks*512 < stat.Size {
		t.Fatalf("a copied home: %d of %d bytes, %v", stat.Blocks*512, stat.Size, err)
	}
}

func TestADiskEndsAtItsLimitAndItsNeighbourDoesNotNotice(t *testing.T) {
	state := opened(t, small(t.TempDir()))
	disk, neighbour := makeDisk(t, state, "a", 16<<20), makeDisk(t, state, "b", 16<<20)
	err := os.WriteFile(filepath.Join(disk, "bomb"), make([]byte, 32<<20), 0o600)
	if !errors.Is(err, unix.EDQUOT) {
		t.Fatalf("the writer got %v", err)
	}
	if err := os.WriteFile(filepath.Join(neighbour, "file"), make([]byte, 8<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	list, err := Disks(state.Folder)
	if err != nil || len(list.Disks) != 2 {
		t.Fatal(list, err)
	}
	for _, each := range list.Disks {
		if !each.Measured || each.LimitBytes != 16<<20 || each.Bytes > 16<<20 {
			t.Fatalf("%+v", each)
		}
	}
	// Whoever removes something goes on.
	if err := os.Remove(filepath.Join(disk, "bomb")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(disk, "after"), make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	makeDisk(t, state, "a", 64<<20)
	if err := os.WriteFile(filepath.Join(disk, "more"), make([]byte, 24<<20), 0o600); err != nil {
		t.Fatal("with a higher limit:", err)
	}
}

func TestAStartHasRoomOnAFullDiskAndTheLimitHoldsAfterwards(t *testing.T) {
	state := opened(t, small(t.TempDir()))
	disk := launch.Disk{Path: makeDisk(t, state, "a", 16<<20), Subvolume: true, LimitBytes: 16 << 20}
	if err := os.WriteFile(filepath.Join(disk.Path, "bomb"), make([]byte, 32<<20), 0o600); !errors.Is(err, unix.EDQUOT) {
		t.Fatalf("the writer got %v", err)
	}
	if err := os.Mkdir(filepath.Join(disk.Path, "full"), 0o700); !errors.Is(err, unix.EDQUOT) {
		t.Fatalf("a full disk took a folder: %v", err)
	}
	for _, limit := range []int64{disk.LimitBytes, 4 << 20} {
		disk.LimitBytes = limit
		room, err := MakeDiskWithRoom(disk)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(filepath.Join(disk.Path, "work"), 0o700); err != nil {
			t.Fatalf("with a limit of %d a start has no room: %v", limit, err)
		}
		if err := errors.Join(os.Remove(filepath.Join(disk.Path, "work")), room.Close(), room.Close()); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(disk.Path, "more"), make([]byte, 1<<20), 0o600); !errors.Is(err, unix.EDQUOT) {
			t.Fatalf("after a start with a limit of %d the writer got %v", limit, err)
		}
	}
}

func TestInodesCountAgainstTheLimitToo(t *testing.T) {
	state := opened(t, small(t.TempDir()))
	disk := makeDisk(t, state, "a", 4<<20)
	const most = 100_000
	for i := range most {
		file, err := os.Create(filepath.Join(disk, "f"+strconv.Itoa(i)))
		if errors.Is(err, unix.EDQUOT) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		_ = file.Close()
	}
	t.Fatalf("%d files fit into 4 MiB", most)
}

func TestADiskWithManyFilesGoesInOneStepAndNothingOfItStays(t *testing.T) {
	state := opened(t, small(t.TempDir()))
	disk := makeDisk(t, state, "a", 64<<20)
	for i := range 5_000 {
		if err := os.WriteFile(filepath.Join(disk, "f"+strconv.Itoa(i)), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if done, err := DestroySubvolume(disk); !done || err != nil {
		t.Fatal(done, err)
	}
	if exists(disk) {
		t.Fatal("it is still there")
	}
	pool, err := openFolder(state.Folder)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(pool)
	// The cleaner takes it apart behind our back, at the latest with a commit.
	for deadline := time.Now().Add(60 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		// BTRFS_IOC_SYNC also wakes the cleaner.
		_ = ioctl(pool, 0x9408, nil)
		sweepGroups(pool, state.Folder)
		left, err := groups(sysfs(pool))
		if err != nil {
			t.Fatal(err)
		}
		if len(left) == 1 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("quota groups left: %v", left)
		}
	}
}

func TestAPlainFolderIsNoSubvolumeAndStaysForTheOneWhoWalks(t *testing.T) {
	home := t.TempDir()
	spec := small(home)
	spec.Choice = launch.PoolFolder
	state := carried(t, spec)
	if state.Kind != launch.FolderPool || !state.Ready || state.Limits || state.Why == "" {
		t.Fatalf("%+v", state)
	}
	disk := makeDisk(t, state, "a", 0)
	if done, err := DestroySubvolume(disk); done || err != nil {
		t.Fatal(done, err)
	}
	if list, err := Disks(state.Folder); err != nil || len(list.Disks) != 1 || list.Disks[0].Measured {
		t.Fatal(list, err)
	}
	// What is there decides: a home does not change its pool under its disks.
	spec.Choice, spec.Make = launch.PoolAuto, true
	if state := carried(t, spec); state.Kind != launch.FolderPool || exists(filepath.Join(home, "disks.img")) {
		t.Fatalf("%+v", state)
	}
	spec.Choice = launch.PoolBtrfs
	var failure *launch.Failure
	if _, err := Of(spec).Carry(); !errors.As(err, &failure) || failure.Code != launch.NotReady || failure.Remedy == "" {
		t.Fatal(err)
	}
	if err := MakeDisk(launch.Disk{Path: filepath.Join(state.Folder, "b"), Subvolume: true}); !errors.As(err, &failure) || failure.Code != launch.NotReady {
		t.Fatal("a disk beneath a pool that is not mounted:", err)
	}
}

func TestAHomeOnBtrfsNeedsNoImage(t *testing.T) {
	outer := opened(t, small(t.TempDir()))
	home := makeDisk(t, outer, "home", 0)
	state := carried(t, small(home))
	if state.Kind != launch.BtrfsPool || !state.Ready || !state.Limits || exists(filepath.Join(home, "disks.img")) {
		t.Fatalf("%+v", state)
	}
	disk := makeDisk(t, state, "a", 4<<20)
	if err := os.WriteFile(filepath.Join(disk, "bomb"), make([]byte, 8<<20), 0o600); !errors.Is(err, unix.EDQUOT) {
		t.Fatal(err)
	}
	if again := carried(t, small(home)); again.Kind != launch.BtrfsPool {
		t.Fatalf("%+v", again)
	}
	if done, err := DestroySubvolume(disk); !done || err != nil {
		t.Fatal(done, err)
	}
}
