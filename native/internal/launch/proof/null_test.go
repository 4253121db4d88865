package proof

import (
	"os"
	"syscall"
	"testing"
)

// A runtime may make the sandbox's root the owner of its streams; the null device is everybody's.
func TestTheHostsNullDeviceStaysTheHosts(t *testing.T) {
	for name, console := range map[string]bool{"with a console": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			onHostKernel(t, func(t *testing.T, w *world) { checkTheHostsNullDeviceStaysTheHosts(t, w, console) })
		})
	}
}

func checkTheHostsNullDeviceStaysTheHosts(t *testing.T, w *world, console bool) {
	spec := w.spec("null")
	if !console {
		spec.Console = ""
	}
	_, box := w.start(spec)

	info, err := os.Stat(os.DevNull)
	w.must(err)
	if owner := info.Sys().(*syscall.Stat_t).Uid; owner == spec.Idmap.Uids[0].HostID {
		t.Errorf("%s of the host belongs to the sandbox's root", os.DevNull)
	}
	// To what it is already: the host keeps its device even where this works.
	if got := box.sh(0, "chmod 666 /dev/null 2>/dev/null && echo changed || echo refused"); got != "refused" {
		t.Errorf("root inside %s the host's null device", got)
	}
	if got := box.sh(1000, "echo more >/dev/null && echo works"); got != "works" {
		t.Errorf("the null device inside: %q", got)
	}
}
