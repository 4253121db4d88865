package pool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"cortex.dev/native/internal/launch"
	"golang.org/x/sys/unix"
)

// Pool is a home's pool of disks.
type Pool struct {
	spec launch.PoolSpec
	// Crossed is told of each durable step, for crash injection.
	Crossed func(step string)
	// within is how long another launcher's work on the pool is waited for.
	within time.Duration
}

// lockWithin is ten times what making and mounting a pool takes on a busy machine.
const lockWithin = time.Minute

// Of is the pool of a checked request.
func Of(spec launch.PoolSpec) *Pool { return &Pool{spec: spec, within: lockWithin} }

// Folder holds a folder for each disk.
func (p *Pool) Folder() string { return filepath.Join(p.spec.Home, "disks") }

func (p *Pool) crossed(step string) {
	if p.Crossed != nil {
		p.Crossed(step)
	}
}

// Carry does what the request asks for and tells how things are then.
func (p *Pool) Carry() (launch.PoolState, error) {
	if looking := !p.spec.Make && !p.spec.Grow && !p.spec.Mount && !p.spec.Unmount; !looking {
		unlock, err := p.lock()
		if err != nil {
			return launch.PoolState{}, err
		}
		defer unlock()
	}
	found := p.decide()
	if p.spec.Choice == launch.PoolBtrfs && found.kind == launch.FolderPool {
		return launch.PoolState{}, launch.Fail(launch.NotReady, nil, "disk-pool: btrfs is asked for, but %s", found.why).WithRemedy(found.fix)
	}
	var err error
	if p.spec.Unmount {
		err = p.leave(found)
	} else if p.spec.Make || p.spec.Grow || p.spec.Mount {
		err = p.bring(found)
	}
	if err != nil {
		return launch.PoolState{}, err
	}
	return p.state(found), nil
}

// lock: two launchers never make or grow one pool at once.
func (p *Pool) lock() (func(), error) {
	home, err := openFolder(p.spec.Home)
	if err != nil {
		return nil, launch.Fail(launch.NotFound, err, "the home folder")
	}
	for began := time.Now(); ; time.Sleep(lockPause) {
		err = unix.Flock(home, unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return func() { _ = unix.Close(home) }, nil
		}
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			_ = unix.Close(home)
			return nil, fmt.Errorf("locking the home: %w", err)
		}
		if time.Since(began) > p.within {
			_ = unix.Close(home)
			return nil, launch.Fail(launch.Busy, nil, "another program has worked on the disks of %s for %s", p.spec.Home, p.within).
				WithRemedy("try again; see who it is: fuser -v " + p.spec.Home)
		}
	}
}

// lockPause is less than any work on a pool takes.
const lockPause = 5 * time.Millisecond

// found is which kind a home has or would get.
type found struct {
	kind     launch.PoolKind
	why, fix string
}

// decide: what is there decides; then what was asked for; then what this host
// can do.
func (p *Pool) decide() found {
	if exists(p.image()) {
		return found{kind: launch.ImagePool}
	}
	if disks := p.entries(); len(disks) > 0 {
		if p.onBtrfs() && anySubvolume(p.Folder(), disks) {
			return found{kind: launch.BtrfsPool}
		}
		return found{kind: launch.FolderPool, why: "the home has disks in plain folders already",
			fix: "remove them (cortex rm --wipe NAME), or use another home"}
	}
	if p.spec.Choice == launch.PoolFolder {
		return found{kind: launch.FolderPool, why: "disk-pool: folder is set"}
	}
	if os.Geteuid() != 0 {
		return found{kind: launch.FolderPool, why: "only root can limit disks"}
	}
	if p.onBtrfs() {
		return found{kind: launch.BtrfsPool}
	}
	return imagePossible()
}

// imagePossible: nothing but what can be seen without making anything.
func imagePossible() found {
	if !exists("/sys/fs/btrfs/features") {
		return found{kind: launch.FolderPool, why: "the kernel has no btrfs", fix: "modprobe btrfs"}
	}
	if !exists("/sys/fs/btrfs/features/simple_quota") {
		return found{kind: launch.FolderPool, why: "the kernel's btrfs has no simple quotas (Linux 6.7)"}
	}
	if !exists(loopControl) {
		return found{kind: launch.FolderPool, why: "the kernel has no loop devices", fix: "modprobe loop"}
	}
	if mkfs() == "" {
		return found{kind: launch.FolderPool, why: "btrfs-progs is missing", fix: "apt-get install -y btrfs-progs"}
	}
	return found{kind: launch.ImagePool}
}

// bring makes what is missing of the pool, as far as that was asked for.
func (p *Pool) bring(found found) error {
	if found.kind != launch.ImagePool {
		return os.MkdirAll(p.Folder(), 0o700)
	}
	if !exists(p.image()) {
		if !p.spec.Make {
			return nil
		}
		if err := p.makeImage(); err != nil {
			return err
		}
	}
	if mountRoot(p.Folder()) && writable(p.Folder()) != nil {
		// Forced read-only after an error of the disk beneath: a new mount reads
		// the log. While a sandbox runs on it the old one stays.
		if err := p.unmount(); err != nil {
			return err
		}
	}
	if !mountRoot(p.Folder()) {
		if len(p.entries()) > 0 {
			return launch.Fail(launch.NotReady, nil, "%s holds files, where the pool would be mounted", p.Folder()).
				WithRemedy("move them away: they were written while the pool was not mounted")
		}
		if err := p.mount(); err != nil {
			return err
		}
	}
	if writable(p.Folder()) != nil {
		return nil // told by state
	}
	if err := p.settle(); err != nil {
		return err
	}
	if p.spec.Grow {
		return p.grow()
	}
	return nil
}

func (p *Pool) leave(found found) error {
	if found.kind != launch.ImagePool {
		return nil
	}
	return p.unmount()
}

func (p *Pool) state(found found) launch.PoolState {
	state := launch.PoolState{Version: launch.Version, Kind: found.kind, Folder: p.Folder(), Why: found.why, Fix: found.fix}
	state.HostTotalBytes, state.HostFreeBytes, _ = space(p.base())
	switch found.kind {
	case launch.FolderPool:
		state.Ready = exists(p.Folder())
		state.TotalBytes, state.FreeBytes = state.HostTotalBytes, state.HostFreeBytes
	case launch.BtrfsPool:
		p.stateOfBtrfs(&state)
	case launch.ImagePool:
		p.stateOfImage(&state)
	}
	return state
}

func (p *Pool) stateOfBtrfs(state *launch.PoolState) {
	state.Ready = exists(p.Folder())
	state.TotalBytes, state.FreeBytes = state.HostTotalBytes, state.HostFreeBytes
	home, err := openFolder(p.base())
	if err != nil {
		return
	}
	defer unix.Close(home)
	if state.Limits = quotasOn(home); !state.Limits {
		state.Why = "quotas are off on the home's btrfs"
		state.Fix = "btrfs quota enable --simple " + p.spec.Home
	}
}

func (p *Pool) stateOfImage(state *launch.PoolState) {
	// One that will be made will have them.
	state.Limits = true
	if !exists(p.image()) {
		return
	}
	if !mountRoot(p.Folder()) {
		state.Why = "it is mounted when it is needed"
		return
	}
	if image, err := os.Open(p.image()); err == nil {
		if device, err := attached(image); err == nil && device != nil {
			state.Device = device.path
			_ = device.file.Close()
		}
		_ = image.Close()
	}
	state.TotalBytes, state.FreeBytes, _ = space(p.Folder())
	if err := writable(p.Folder()); err != nil {
		state.Problem = "the pool of disks cannot be written to: " + err.Error()
		state.Remedy = "stop every sandbox, then: cortex serve --stop && umount " + p.Folder() +
			"        (the next start mounts it again); dmesg says why"
		return
	}
	state.Ready = true
}

// writable tries: a btrfs that gave up after an error refuses every change.
func writable(folder string) error {
	now := unix.NsecToTimespec(0)
	now.Nsec = unix.UTIME_NOW
	err := unix.UtimesNanoAt(unix.AT_FDCWD, folder, []unix.Timespec{now, now}, unix.AT_SYMLINK_NOFOLLOW)
	if err != nil {
		return &os.PathError{Op: "write", Path: folder, Err: err}
	}
	return nil
}

func (p *Pool) onBtrfs() bool { return onBtrfs(p.base()) }

// base is the home, or where it will be made.
func (p *Pool) base() string {
	folder := p.spec.Home
	for !exists(folder) && folder != "/" {
		folder = filepath.Dir(folder)
	}
	return folder
}

func (p *Pool) entries() []string {
	if mountRoot(p.Folder()) {
		return nil
	}
	names, err := namesIn(p.Folder())
	if err != nil {
		return nil
	}
	return names
}

func namesIn(folder string) ([]string, error) {
	dir, err := os.Open(folder)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return dir.Readdirnames(-1)
}

func anySubvolume(folder string, names []string) bool {
	for _, name := range names {
		fd, err := openFolder(filepath.Join(folder, name))
		if err != nil {
			continue
		}
		is := isSubvolume(fd)
		_ = unix.Close(fd)
		if is {
			return true
		}
	}
	return false
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil || !errors.Is(err, fs.ErrNotExist)
}
