package image

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cortex.dev/native/internal/testkit/need"
	"golang.org/x/sys/unix"
)

// tool runs one of the tools that people make images with.
func tool(t *testing.T, name string, arguments ...string) {
	t.Helper()
	path, err := exec.LookPath(name)
	need.That(t, err == nil, name+": apt-get install "+name)
	command := exec.Command(path, arguments...)
	command.Env = append(os.Environ(), "HOME="+t.TempDir())
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v\n%s", name, arguments, err, output)
	}
}

// busybox is an OCI layout of two layers that umoci made, and the folder that it is in.
func busybox(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	image, bundle := folder+"/layout:busybox", folder+"/bundle"
	shell, err := os.ReadFile("/bin/busybox")
	need.That(t, err == nil, "a static busybox: apt-get install busybox-static")
	tool(t, "umoci", "init", "--layout", folder+"/layout")
	tool(t, "umoci", "new", "--image", image)
	tool(t, "umoci", "unpack", "--image", image, bundle)
	root := bundle + "/rootfs"
	for _, err := range []error{
		os.MkdirAll(root+"/bin", 0o755), os.MkdirAll(root+"/etc", 0o755), os.MkdirAll(root+"/srv/old", 0o755),
		os.WriteFile(root+"/bin/busybox", shell, 0o755), os.Symlink("busybox", root+"/bin/sh"),
		os.WriteFile(root+"/etc/passwd", []byte("root:x:0:0::/root:/bin/sh\nweb:x:33:33::/srv:/bin/sh\n"), 0o644),
		os.WriteFile(root+"/etc/gone", nil, 0o644), os.WriteFile(root+"/srv/old/file", nil, 0o644),
		os.Chown(root+"/srv", 33, 33), unix.Chmod(root+"/srv", 0o2750),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	tool(t, "umoci", "repack", "--image", image, bundle)
	if err := os.RemoveAll(bundle); err != nil {
		t.Fatal(err)
	}
	tool(t, "umoci", "unpack", "--image", image, bundle)
	if err := errors.Join(os.Remove(root+"/etc/gone"), os.RemoveAll(root+"/srv/old"), os.WriteFile(root+"/srv/new", []byte("new"), 0o644)); err != nil {
		t.Fatal(err)
	}
	tool(t, "umoci", "repack", "--image", image, bundle)
	tool(t, "umoci", "config", "--image", image,
		"--config.user", "web", "--config.workingdir", "/srv", "--config.entrypoint", "/bin/sh", "--config.entrypoint", "-c",
		"--config.cmd", "id -u; pwd", "--config.env", "GREETING=hello", "--config.label", "made=by umoci")
	return folder
}

func TestImagesOfRealToolsAreTaken(t *testing.T) {
	folder := busybox(t)
	layout := "oci:" + folder + "/layout:busybox"
	tool(t, "skopeo", "copy", layout, "oci-archive:"+folder+"/oci.tar:busybox")
	tool(t, "skopeo", "copy", layout, "docker-archive:"+folder+"/docker.tar:busybox:1.35")
	tool(t, "skopeo", "copy", "--dest-compress-format", "zstd", "--dest-oci-accept-uncompressed-layers=false", layout, "oci:"+folder+"/zstd:busybox")
	tool(t, "gzip", "--keep", folder+"/docker.tar")
	digests := map[string]string{}
	for _, source := range []string{"layout", "oci.tar", "zstd", "docker.tar", "docker.tar.gz"} {
		t.Run(source, func(t *testing.T) {
			h := newHome(t)
			answer := h.mustTake(filepath.Join(folder, source))
			digests[source] = answer.Digest
			shown := overlaid(t, h, answer)
			for name, there := range map[string]bool{"bin/sh": true, "etc/gone": false, "srv/old": false, "srv/new": true} {
				if _, err := os.Lstat(filepath.Join(shown, name)); (err == nil) != there {
					t.Errorf("%s: %v", name, err)
				}
			}
			if info, err := os.Stat(shown + "/srv"); err != nil || info.Mode().Perm() != 0o750 || info.Mode()&os.ModeSetgid == 0 {
				t.Errorf("srv is %v, %v", info, err)
			}
			if !strings.Contains(string(answer.Config), `"WorkingDir":"/srv"`) {
				t.Errorf("its configuration is %s", answer.Config)
			}
			if strings.HasPrefix(source, "docker") && !slices.ContainsFunc(answer.Names, func(name string) bool { return strings.HasSuffix(name, "busybox:1.35") }) {
				t.Errorf("its names are %v", answer.Names)
			}
		})
	}
	// A copy into docker's form writes another configuration; the others are one image.
	if digests["layout"] != digests["oci.tar"] || digests["layout"] != digests["zstd"] || digests["docker.tar"] != digests["docker.tar.gz"] {
		t.Errorf("the digests are %v", digests)
	}
}
