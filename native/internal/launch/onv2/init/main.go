// Command init is the first process of the virtual machine: it loads the modules that the disk
// needs, changes to the disk's root and runs every test program in /tests there.
package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

const newRoot = "/new"

func main() {
	if err := run(); err != nil {
		fmt.Println("guest: failed:", err)
	}
	// What was printed last must reach the serial line.
	time.Sleep(300 * time.Millisecond)
	unix.Sync()
	_ = unix.Reboot(unix.LINUX_REBOOT_CMD_POWER_OFF)
}

func run() error {
	if err := mount("devtmpfs", "/dev", "devtmpfs", ""); err != nil {
		return err
	}
	if err := loadModules("/modules"); err != nil {
		return err
	}
	if err := enterDisk("/dev/vda"); err != nil {
		return err
	}
	for _, m := range [][4]string{
		{"proc", "/proc", "proc", ""},
		{"sysfs", "/sys", "sysfs", ""},
		{"cgroup2", "/sys/fs/cgroup", "cgroup2", ""},
		{"devtmpfs", "/dev", "devtmpfs", ""},
		{"devpts", "/dev/pts", "devpts", "ptmxmode=0666"},
		{"tmpfs", "/dev/shm", "tmpfs", "mode=1777"},
		{"tmpfs", "/run", "tmpfs", "mode=755"},
		{"tmpfs", "/tmp", "tmpfs", "mode=1777"},
	} {
		if err := mount(m[0], m[1], m[2], m[3]); err != nil {
			return err
		}
	}
	for name, target := range map[string]string{
		"fd": "/proc/self/fd", "stdin": "fd/0", "stdout": "fd/1", "stderr": "fd/2",
	} {
		if err := os.Symlink(target, "/dev/"+name); err != nil {
			return err
		}
	}
	if err := enableControllers(); err != nil {
		return err
	}
	if err := raiseLoopback(); err != nil {
		return err
	}
	return runTests("/tests")
}

func mount(source, target, kind, options string) error {
	if err := os.MkdirAll(target, 0o755); err != nil {
		return err
	}
	if err := unix.Mount(source, target, kind, 0, options); err != nil {
		return fmt.Errorf("mount %s: %w", target, err)
	}
	return nil
}

// loadModules loads the files that the list `order` names, a line each.
func loadModules(folder string) error {
	list, err := os.Open(filepath.Join(folder, "order"))
	if err != nil {
		return err
	}
	defer list.Close()
	for lines := bufio.NewScanner(list); lines.Scan(); {
		file, err := os.Open(filepath.Join(folder, lines.Text()))
		if err != nil {
			return err
		}
		err = unix.FinitModule(int(file.Fd()), "", 0)
		_ = file.Close()
		if err != nil && err != unix.EEXIST {
			return fmt.Errorf("load %s: %w", lines.Text(), err)
		}
	}
	return nil
}

func enterDisk(device string) error {
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(device); err == nil {
			break
		} else if time.Now().After(deadline) {
			return err
		}
	}
	if err := mount(device, newRoot, "ext4", ""); err != nil {
		return err
	}
	if err := os.Chdir(newRoot); err != nil {
		return err
	}
	if err := unix.Mount(".", "/", "", unix.MS_MOVE, ""); err != nil {
		return fmt.Errorf("move the root: %w", err)
	}
	if err := unix.Chroot("."); err != nil {
		return fmt.Errorf("change the root: %w", err)
	}
	return os.Chdir("/")
}

func enableControllers() error {
	text, err := os.ReadFile("/sys/fs/cgroup/cgroup.controllers")
	if err != nil {
		return err
	}
	fmt.Println("guest: controllers:", strings.TrimSpace(string(text)))
	for _, name := range strings.Fields(string(text)) {
		if err := os.WriteFile("/sys/fs/cgroup/cgroup.subtree_control", []byte("+"+name), 0o644); err != nil {
			return fmt.Errorf("enable %s: %w", name, err)
		}
	}
	return nil
}

func raiseLoopback() error {
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(socket)
	request, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	request.SetUint16(unix.IFF_UP)
	return unix.IoctlIfreq(socket, unix.SIOCSIFFLAGS, request)
}

// runTests runs each program in the folder of the package that it tests.
func runTests(folder string) error {
	programs, err := filepath.Glob(filepath.Join(folder, "*.test"))
	if err != nil {
		return err
	}
	for _, program := range programs {
		name := strings.TrimSuffix(filepath.Base(program), ".test")
		test := exec.Command(program, "-test.v", "-test.timeout=15m")
		test.Dir = "/source/" + strings.ReplaceAll(name, "-", "/")
		test.Env = []string{
			"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "LANG=C.UTF-8",
			"CI=true", "CORTEX_TEST_PROGRAMS=/programs", "CORTEX_TEST_RUNTIMES=crun,runc",
		}
		test.Stdout, test.Stderr = os.Stdout, os.Stdout
		if err := test.Run(); err != nil {
			fmt.Printf("guest: %s: %v\n", name, err)
			continue
		}
		fmt.Printf("guest: %s passed\n", name)
	}
	return nil
}
