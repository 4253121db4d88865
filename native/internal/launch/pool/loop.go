package pool

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"cortex.dev/native/internal/launch"
	"golang.org/x/sys/unix"
)

const (
	loopControl = "/dev/loop-control"
	loopMajor   = 7
	// attempts: between asking for a free device and taking it, another may.
	attempts = 32
)

// loop is a device over the image.
type loop struct {
	file *os.File
	path string
}

// attach finds the device that the image has already, or takes a free one. The
// kernel lets the device go when nobody has it open and it is not mounted.
func attach(image *os.File) (*loop, error) {
	if found, err := attached(image); found != nil || err != nil {
		return found, err
	}
	control, err := os.OpenFile(loopControl, os.O_RDWR, 0)
	if err != nil {
		return nil, launch.Fail(launch.NotReady, err, "loop devices cannot be made").WithRemedy("modprobe loop")
	}
	defer control.Close()
	for range attempts {
		taken, err := take(control, image)
		if !errors.Is(err, unix.EBUSY) {
			return taken, err
		}
	}
	return nil, launch.Fail(launch.NotReady, nil, "no loop device stayed free").WithRemedy("losetup -a shows who has them")
}

func take(control, image *os.File) (*loop, error) {
	number, err := unix.IoctlRetInt(int(control.Fd()), unix.LOOP_CTL_GET_FREE)
	if err != nil {
		return nil, fmt.Errorf("asking for a free loop device: %w", err)
	}
	device, err := openLoop(number)
	if err != nil {
		return nil, err
	}
	config := &unix.LoopConfig{Fd: uint32(image.Fd())}
	config.Info.Flags = unix.LO_FLAGS_AUTOCLEAR
	copy(config.Info.File_name[:len(config.Info.File_name)-1], image.Name())
	if err := unix.IoctlLoopConfigure(int(device.file.Fd()), config); err != nil {
		_ = device.file.Close()
		return nil, fmt.Errorf("attaching %s: %w", device.path, err)
	}
	return device, device.keepWhole(number)
}

// keepWhole takes discarding away from the device: what trims file systems on
// this host (fstrim.timer) would punch holes into the image, and an image with
// holes fails on a full host.
func (l *loop) keepWhole(number int) error {
	setting := fmt.Sprintf("/sys/block/loop%d/queue/discard_max_bytes", number)
	if err := os.WriteFile(setting, []byte("0"), 0); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("switching discards off: %w", err)
	}
	return nil
}

func openLoop(number int) (*loop, error) {
	path := "/dev/loop" + strconv.Itoa(number)
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, os.ErrNotExist) {
		// Without a udev nobody makes the nodes.
		if err = unix.Mknod(path, unix.S_IFBLK|0o600, int(unix.Mkdev(loopMajor, uint32(number)))); err == nil {
			file, err = os.OpenFile(path, os.O_RDWR, 0)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", path, err)
	}
	return &loop{file: file, path: path}, nil
}

// attached is the image's device, known by the file itself and not by its name.
func attached(image *os.File) (*loop, error) {
	var stat unix.Stat_t
	if err := unix.Fstat(int(image.Fd()), &stat); err != nil {
		return nil, err
	}
	backed, err := filepath.Glob("/sys/block/loop*/loop/backing_file")
	if err != nil {
		return nil, err
	}
	for _, each := range backed {
		name := strings.TrimPrefix(strings.TrimSuffix(each, "/loop/backing_file"), "/sys/block/loop")
		number, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		device, err := openLoop(number)
		if err != nil {
			continue
		}
		info, err := unix.IoctlLoopGetStatus64(int(device.file.Fd()))
		if err == nil && info.Device == stat.Dev && info.Inode == stat.Ino {
			return device, nil
		}
		_ = device.file.Close()
	}
	return nil, nil
}

// followImage makes the device as large as the image has become.
func (l *loop) followImage() error {
	if err := unix.IoctlSetInt(int(l.file.Fd()), unix.LOOP_SET_CAPACITY, 0); err != nil {
		return fmt.Errorf("growing %s: %w", l.path, err)
	}
	return nil
}
