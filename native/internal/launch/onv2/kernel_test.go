package onv2

import (
	"bytes"
	"debug/elf"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// wanted are what the disk and the sandboxes in it need and Debian's kernel has not built in.
var wanted = []string{"virtio_pci", "virtio_blk", "overlay"}

// kernel is Debian's for clouds, unpacked: the package needs no machine that boots from it.
type kernel struct{ image, modules string }

func fetchKernel(t *testing.T, dir string) kernel {
	t.Helper()
	depends := output(t, "", "apt-cache", "depends", "--important", "linux-image-cloud-amd64")
	name := ""
	for _, word := range strings.Fields(depends) {
		if strings.HasPrefix(word, "linux-image-") && word != "linux-image-cloud-amd64" {
			name = word
		}
	}
	if name == "" {
		t.Fatalf("apt knows no kernel for clouds: %s", depends)
	}
	output(t, dir, "apt-get", "-o", "APT::Sandbox::User=root", "download", name)
	packages, err := filepath.Glob(filepath.Join(dir, name+"_*.deb"))
	if err != nil || len(packages) != 1 {
		t.Fatalf("apt-get downloaded %v, %v", packages, err)
	}
	output(t, dir, "dpkg", "-x", packages[0], ".")
	version := strings.TrimPrefix(name, "linux-image-")
	return kernel{
		image:   filepath.Join(dir, "boot", "vmlinuz-"+version),
		modules: filepath.Join(dir, "lib", "modules", version),
	}
}

// order lists the files of the wanted modules and of what they need, each behind its needs.
func (k kernel) order(t *testing.T) []string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(k.modules, func(path string, _ fs.DirEntry, err error) error {
		if name, is := strings.CutSuffix(filepath.Base(path), ".ko"); is {
			files[plain(name)] = path
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var order []string
	seen := map[string]bool{}
	var add func(string)
	add = func(name string) {
		if seen[name] {
			return
		}
		seen[name] = true
		file, found := files[name]
		if !found {
			t.Fatalf("the kernel has no module %s", name)
		}
		for _, need := range needs(t, file) {
			add(need)
		}
		order = append(order, file)
	}
	for _, name := range wanted {
		add(name)
	}
	return order
}

// plain is a module's name as the kernel sees it: dash and underscore are one.
func plain(name string) string { return strings.ReplaceAll(name, "-", "_") }

// needs reads from a module which others it needs.
func needs(t *testing.T, file string) []string {
	t.Helper()
	module, err := elf.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer module.Close()
	about, err := module.Section(".modinfo").Data()
	if err != nil {
		t.Fatal(err)
	}
	for _, fact := range strings.Split(string(about), "\x00") {
		if list, is := strings.CutPrefix(fact, "depends="); is && list != "" {
			return strings.Split(plain(list), ",")
		}
	}
	return nil
}

// initramfs writes an archive with the program as /init and the modules that it loads.
func (k kernel) initramfs(t *testing.T, program, path string) {
	t.Helper()
	archive := &cpio{}
	archive.folder("dev")
	archive.folder("new")
	archive.folder("modules")
	archive.device("dev/console", 5, 1)
	archive.file("init", read(t, program))
	var order strings.Builder
	for _, file := range k.order(t) {
		name := filepath.Base(file)
		archive.file("modules/"+name, read(t, file))
		order.WriteString(name + "\n")
	}
	archive.file("modules/order", []byte(order.String()))
	if err := os.WriteFile(path, archive.end(), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// output runs a command to its end and gives what it printed.
func output(t *testing.T, dir, name string, arguments ...string) string {
	t.Helper()
	command := exec.Command(name, arguments...)
	command.Dir = dir
	text, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(command.Args, " "), err, text)
	}
	return string(text)
}

// cpio is an archive in the form "newc" that the kernel unpacks into its first root
// (Documentation/driver-api/early-userspace/buffer-format.rst).
type cpio struct {
	bytes bytes.Buffer
	inode int
}

func (c *cpio) entry(name string, mode uint32, major, minor int, content []byte) {
	c.inode++
	fmt.Fprintf(&c.bytes, "070701%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%s\x00",
		c.inode, mode, 0, 0, 1, 0, len(content), 0, 0, major, minor, len(name)+1, 0, name)
	c.pad()
	c.bytes.Write(content)
	c.pad()
}

// pad fills to a multiple of four bytes.
func (c *cpio) pad() {
	for c.bytes.Len()%4 != 0 {
		c.bytes.WriteByte(0)
	}
}

func (c *cpio) folder(name string)                   { c.entry(name, 0o040755, 0, 0, nil) }
func (c *cpio) file(name string, content []byte)     { c.entry(name, 0o100755, 0, 0, content) }
func (c *cpio) device(name string, major, minor int) { c.entry(name, 0o020600, major, minor, nil) }

func (c *cpio) end() []byte {
	c.entry("TRAILER!!!", 0, 0, 0, nil)
	return c.bytes.Bytes()
}
