package onv2

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cortex.dev/native/internal/testkit/need"
)

// packages of the virtual machine's own Debian, beside the essential ones.
const packages = "crun,runc,uidmap,curl,python3,procps,git,gcc,libc6-dev,vim-tiny,nodejs"

// suites are the packages whose tests run there.
var suites = []string{"cmd/neuron", "internal/launch/cgroup", "internal/launch/proof"}

// mostTime is ten times what the suites take under emulation on two quiet processors.
const mostTime = 25 * time.Minute

func TestLauncherNeuronAndRuntimeWorkOnPureControlGroupsV2(t *testing.T) {
	need.Time(t)
	need.Root(t, "a root file system is made")
	// Not below /tmp, which may be too small.
	dir, err := os.MkdirTemp("/var/tmp", "onv2")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	kernel := fetchKernel(t, dir)
	kernel.initramfs(t, build(t, dir, "init", "cortex.dev/native/internal/launch/onv2/init"), filepath.Join(dir, "initramfs"))
	makeDisk(t, dir)
	for _, suite := range boot(t, dir, kernel) {
		t.Error(suite)
	}
}

// boot runs the machine to its end and answers what did not pass.
func boot(t *testing.T, dir string, kernel kernel) []string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), mostTime)
	defer cancel()
	machine := exec.CommandContext(ctx, "qemu-system-x86_64",
		"-M", "q35", "-accel", "tcg,thread=multi", "-cpu", "max", "-smp", "2", "-m", "2G",
		"-nodefaults", "-no-user-config", "-no-reboot", "-display", "none", "-serial", "stdio",
		"-kernel", kernel.image, "-initrd", filepath.Join(dir, "initramfs"),
		"-append", "console=ttyS0 quiet panic=-1 mitigations=off cgroup_no_v1=all",
		"-drive", "file="+filepath.Join(dir, "disk")+",format=raw,if=none,id=disk,cache=unsafe",
		"-device", "virtio-blk-pci,drive=disk")
	serial, err := machine.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	machine.Stderr = os.Stderr
	if err := machine.Start(); err != nil {
		t.Fatal(err)
	}
	passed := map[string]bool{}
	var wrong []string
	lines := bufio.NewScanner(serial)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := strings.TrimRight(lines.Text(), "\r")
		t.Log(line)
		switch {
		case strings.HasPrefix(line, "guest: ") && strings.HasSuffix(line, " passed"):
			passed[strings.TrimSuffix(strings.TrimPrefix(line, "guest: "), " passed")] = true
		case strings.Contains(line, "--- FAIL"), strings.HasPrefix(line, "guest: failed"), strings.Contains(line, "Kernel panic"):
			wrong = append(wrong, line)
		}
	}
	if err := machine.Wait(); err != nil {
		wrong = append(wrong, "the machine ended with "+err.Error())
	}
	for _, suite := range suites {
		if !passed[flat(suite)] {
			wrong = append(wrong, suite+" did not pass there")
		}
	}
	return wrong
}

func flat(suite string) string { return strings.ReplaceAll(suite, "/", "-") }

// makeDisk makes the machine's file system: a small Debian, the tests' programs and their data.
func makeDisk(t *testing.T, dir string) {
	t.Helper()
	root := filepath.Join(dir, "root")
	output(t, "", "mmdebstrap", "--mode=root", "--variant=minbase", "--include="+packages, "--dpkgopt=path-exclude=/usr/share/doc/*",
		"bookworm", root)
	for _, folder := range []string{"tests", "programs", "source"} {
		if err := os.MkdirAll(filepath.Join(root, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	module := strings.TrimSpace(output(t, "", "go", "list", "-m", "-f", "{{.Dir}}"))
	for _, suite := range suites {
		test := exec.Command("go", "test", "-c", "-o", filepath.Join(root, "tests", flat(suite)+".test"), "cortex.dev/native/"+suite)
		test.Env = append(os.Environ(), "CGO_ENABLED=0")
		if text, err := test.CombinedOutput(); err != nil {
			t.Fatalf("build the tests of %s: %v\n%s", suite, err, text)
		}
	}
	for name, source := range map[string]string{
		"launcher": "cortex.dev/native/cmd/launcher",
		"first":    "cortex.dev/native/internal/launch/proof/first",
	} {
		build(t, filepath.Join(root, "programs"), name, source)
	}
	// The tests find their data beside their package.
	output(t, module, "cp", "-r", "cmd", "internal", filepath.Join(root, "source"))
	disk := filepath.Join(dir, "disk")
	output(t, "", "truncate", "-s", "2G", disk)
	output(t, "", "mke2fs", "-q", "-F", "-t", "ext4", "-d", root, disk)
}

func build(t *testing.T, dir, name, source string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	command := exec.Command("go", "build", "-o", path, source)
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := command.CombinedOutput(); err != nil {
		t.Fatalf("build %s: %v\n%s", source, err, text)
	}
	return path
}
