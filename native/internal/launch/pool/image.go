package pool

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"cortex.dev/native/internal/launch"
	"golang.org/x/sys/unix"
)

const (
	// leastImage is the least that btrfs resizes (SZ_256M in its ioctl.c).
	leastImage = 256 << 20
	mebibyte   = 1 << 20
	// Set-uid files of a guest's root are nobody's to run on the host, and its
	// device nodes nobody's to open.
	poolFlags = unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOATIME
	// What was wiped is free again with the commit after it.
	poolOptions = "nodiscard,commit=10"
)

// mkfs is where the program lies, or "": a daemon's PATH often has no sbin.
func mkfs() string {
	if found, err := exec.LookPath("mkfs.btrfs"); err == nil {
		return found
	}
	for _, path := range []string{"/usr/sbin/mkfs.btrfs", "/sbin/mkfs.btrfs", "/usr/local/sbin/mkfs.btrfs"} {
		if info, err := os.Stat(path); err == nil && info.Mode()&0o111 != 0 {
			return path
		}
	}
	return ""
}

// makeImage makes the image under another name and renames it when it is whole:
// who is killed meanwhile leaves a file that the next attempt replaces.
func (p *Pool) makeImage() error {
	unfinished := p.image() + ".new"
	if err := os.Remove(unfinished); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	size, err := p.affordable()
	if err != nil {
		return err
	}
	if err := p.fill(unfinished, size); err != nil {
		_ = os.Remove(unfinished)
		return err
	}
	p.crossed("image.allocated")
	output, err := exec.Command(mkfs(), "--quiet", "--nodiscard", "--label", "cortex-disks", unfinished).CombinedOutput()
	if err != nil {
		_ = os.Remove(unfinished)
		return launch.Fail(launch.DriverFailed, err, "mkfs.btrfs failed (%s)", strings.TrimSpace(string(output)))
	}
	p.crossed("image.formatted")
	if err := os.Rename(unfinished, p.image()); err != nil {
		return err
	}
	p.crossed("image.named")
	return nil
}

// affordable is the size of a new image: what was asked for, or less where the
// host has less.
func (p *Pool) affordable() (int64, error) {
	_, free, err := space(p.spec.Home)
	if err != nil {
		return 0, err
	}
	size := min(p.spec.InitialBytes, free-p.spec.MarginBytes) / mebibyte * mebibyte
	if size < leastImage {
		return 0, p.hostFull(free, leastImage)
	}
	return size, nil
}

func (p *Pool) hostFull(free, wanted int64) error {
	return launch.Fail(launch.DiskFull, nil, "the disk that holds %s has %d MiB left; the pool of disks needs %d MiB more and leaves %d MiB free",
		p.spec.Home, free/mebibyte, wanted/mebibyte, p.spec.MarginBytes/mebibyte).
		WithRemedy("free space on it; cortex usage shows what Cortex holds")
}

// fill makes a file of that size without a hole. Sparse would be a trap: on a
// full host btrfs loses writes that it has confirmed, and goes read-only.
func (p *Pool) fill(path string, size int64) error {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	return fallocate(file, size)
}

func fallocate(file *os.File, size int64) error {
	err := unix.Fallocate(int(file.Fd()), 0, 0, size)
	if errors.Is(err, unix.EOPNOTSUPP) {
		return launch.Fail(launch.NotReady, err, "the file system of the home cannot set space aside").
			WithRemedy("put the home on ext4, xfs or btrfs, or set disk-pool: folder")
	}
	if err != nil {
		return fmt.Errorf("setting %d MiB aside for disks: %w", size/mebibyte, err)
	}
	return file.Sync()
}

// grow adds a step to the image. Cut off anywhere it is begun again by whoever
// opens the pool next: each part follows the size of the one beneath.
func (p *Pool) grow() error {
	_, free, err := space(p.spec.Home)
	if err != nil {
		return err
	}
	step := min(p.spec.StepBytes, free-p.spec.MarginBytes) / mebibyte * mebibyte
	if step <= 0 || step < p.spec.StepBytes/8 {
		return p.hostFull(free, p.spec.StepBytes)
	}
	image, err := os.OpenFile(p.image(), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer image.Close()
	info, err := image.Stat()
	if err != nil {
		return err
	}
	if err := fallocate(image, info.Size()+step); err != nil {
		// A growth that failed half-way must not leave the host full.
		return errors.Join(err, image.Truncate(info.Size()))
	}
	p.crossed("grow.allocated")
	return p.follow(image)
}

// follow brings device and file system to the size of the image.
func (p *Pool) follow(image *os.File) error {
	device, err := attached(image)
	if err != nil || device == nil {
		return err
	}
	defer device.file.Close()
	if p.asLargeAs(image, device) {
		return nil
	}
	if err := device.followImage(); err != nil {
		return err
	}
	p.crossed("grow.device")
	pool, err := openFolder(p.Folder())
	if err != nil {
		return err
	}
	defer unix.Close(pool)
	if err := growToDevice(pool); err != nil {
		return err
	}
	p.crossed("grow.filesystem")
	return nil
}

func (p *Pool) asLargeAs(image *os.File, device *loop) bool {
	info, err := image.Stat()
	if err != nil {
		return false
	}
	end, err := device.file.Seek(0, io.SeekEnd)
	if err != nil {
		return false
	}
	total, _, err := space(p.Folder())
	return err == nil && end == info.Size() && total == info.Size()
}

// mount shows the image at the pool's folder.
func (p *Pool) mount() error {
	image, err := os.OpenFile(p.image(), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer image.Close()
	if err := fillHoles(image); err != nil {
		return err
	}
	device, err := attach(image)
	if err != nil {
		return err
	}
	// Held until it is mounted: a device that nobody holds is let go.
	defer device.file.Close()
	p.crossed("pool.attached")
	if err := device.followImage(); err != nil {
		return err
	}
	if err := os.MkdirAll(p.Folder(), 0o700); err != nil {
		return err
	}
	if err := unix.Mount(device.path, p.Folder(), "btrfs", poolFlags, poolOptions); err != nil {
		return launch.Fail(launch.NotReady, err, "the pool of disks %s cannot be mounted", p.image()).
			WithRemedy("the kernel's reason is in dmesg; to look at it: btrfs check --readonly " + p.image())
	}
	p.crossed("pool.mounted")
	return nil
}

// fillHoles: a copy of a home may have got some.
func fillHoles(image *os.File) error {
	var stat unix.Stat_t
	if err := unix.Fstat(int(image.Fd()), &stat); err != nil {
		return err
	}
	if stat.Blocks*512 >= stat.Size {
		return nil
	}
	return fallocate(image, stat.Size)
}

// settle does what follows a mount: quotas, the modes, the size of the image.
func (p *Pool) settle() error {
	pool, err := openFolder(p.Folder())
	if err != nil {
		return err
	}
	defer unix.Close(pool)
	if err := unix.Fchmod(pool, 0o700); err != nil {
		return err
	}
	if !quotasOn(pool) {
		if err := enableSimpleQuotas(pool); err != nil {
			return err
		}
	}
	p.crossed("pool.quotas")
	sweepGroups(pool, p.Folder())
	image, err := os.OpenFile(p.image(), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer image.Close()
	return p.follow(image)
}

func (p *Pool) unmount() error {
	if !mountRoot(p.Folder()) {
		return nil
	}
	if err := unix.Unmount(p.Folder(), 0); err != nil {
		return launch.Fail(launch.DriverFailed, err, "the pool %s cannot be unmounted", p.Folder()).
			WithRemedy("end what uses it: fuser -vm " + p.Folder())
	}
	return nil
}

func (p *Pool) image() string { return filepath.Join(p.spec.Home, "disks.img") }

// mountRoot: something is mounted there.
func mountRoot(path string) bool {
	var facts unix.Statx_t
	return unix.Statx(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW, unix.STATX_BASIC_STATS, &facts) == nil &&
		facts.Attributes&unix.STATX_ATTR_MOUNT_ROOT != 0
}

func space(path string) (total, free int64, err error) {
	var facts unix.Statfs_t
	if err := unix.Statfs(path, &facts); err != nil {
		return 0, 0, &os.PathError{Op: "statfs", Path: path, Err: err}
	}
	return int64(facts.Blocks) * facts.Bsize, int64(facts.Bavail) * facts.Bsize, nil
}
