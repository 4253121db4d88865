package proof

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"
)

func until(t testing.TB, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it did not come about within 20 s")
		}
	}
}

func TestTheConfigurationHasTheListOfSystemCallsInIt(t *testing.T) {
	var config struct {
		Linux struct {
			Seccomp any `json:"seccomp"`
		} `json:"linux"`
	}
	var list any
	for file, into := range map[string]any{"oci-config.json": &config, "seccomp-default.json": &list} {
		text, err := os.ReadFile("../testdata/" + file)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.NewDecoder(bytes.NewReader(text)).Decode(into); err != nil {
			t.Fatal(err)
		}
	}
	if !reflect.DeepEqual(config.Linux.Seccomp, list) {
		t.Error("they differ")
	}
}

// The numbers are those of x86-64, past every library.
func TestSystemCallsAreAnsweredAsTheListSays(t *testing.T) {
	w := newWorld(t)
	_, box := w.start(w.spec("seccomp"))
	calls := map[string]string{
		"unknown number":          "1000 -> ENOSYS",
		"clone3":                  "435, 0, 0 -> ENOSYS",
		"mount":                   "165, 0, 0, 0, 0, 0 -> EPERM",
		"umount2":                 "166, 0, 0 -> EPERM",
		"pivot_root":              "155, 0, 0 -> EPERM",
		"open_tree":               "428, 0, 0, 0 -> EPERM",
		"ptrace":                  "101, 0, 0, 0, 0 -> EPERM",
		"process_vm_readv":        "310, 1, 0, 0, 0, 0, 0 -> EPERM",
		"bpf":                     "321, 0, 0, 0 -> EPERM",
		"perf_event_open":         "298, 0, 0, 0, 0, 0 -> EPERM",
		"userfaultfd":             "323, 0 -> EPERM",
		"io_uring_setup":          "425, 1, 0 -> EPERM",
		"keyctl":                  "250, 0, 0, 0 -> EPERM",
		"add_key":                 "248, 0, 0, 0, 0, 0 -> EPERM",
		"open_by_handle_at":       "304, 0, 0, 0 -> EPERM",
		"init_module":             "175, 0, 0, 0 -> EPERM",
		"kexec_load":              "246, 0, 0, 0, 0 -> EPERM",
		"setns":                   "308, 0, 0 -> EPERM",
		"unshare user":            "272, 0x10000000 -> EPERM",
		"unshare net and files":   "272, 0x40000400 -> EPERM",
		"unshare time":            "272, 0x80 -> EPERM",
		"unshare files":           "272, 0x400 -> 0",
		"clone user":              "56, 0x10000011, 0, 0, 0, 0 -> EPERM",
		"clone net, high rubbish": "56, 0x140000011, 0, 0, 0, 0 -> EPERM",
		"reboot":                  "169, 0, 0, 0 -> EPERM",
		"settimeofday":            "164, 0, 0 -> EPERM",
		"syslog":                  "103, 3, 0, 0 -> EPERM",
		"socket unix":             "41, 1, 1, 0 -> ok",
		"socket inet6":            "41, 10, 1, 0 -> ok",
		"socket route":            "41, 16, 3, 0 -> ok",
		"socket audit":            "41, 16, 3, 9 -> EINVAL",
		"socket netfilter":        "41, 16, 3, 12 -> ENOSYS",
		"socket vsock":            "41, 40, 1, 0 -> EAFNOSUPPORT",
		"socket alg":              "41, 38, 5, 0 -> EAFNOSUPPORT",
		"socket packet":           "41, 17, 3, 0 -> EAFNOSUPPORT",
		"vsock with high rubbish": "41, 0x100000028, 1, 0 -> EAFNOSUPPORT",
		"personality asked":       "135, 0xffffffff -> ok",
		"personality svr4":        "135, 0x4100001 -> ENOSYS",
		"getppid":                 "110 -> ok",
		"landlock version":        "444, 0, 0, 1 -> ok",
		"membarrier query":        "324, 0, 0 -> ok",
		"mknod a device":          "133, b'/tmp/dev', 0o20666, 0x103 -> EPERM",
		"adjtimex to set":         "159, b'\\x01' + bytes(300) -> EPERM",
		"sethostname":             "170, b'x', 1 -> EPERM",
		"chroot as a user":        "161, b'/tmp' -> EPERM",
		"name_to_handle_at reads": "303, -100, 0, 0, 0, 0 -> EFAULT",
		"process_madvise":         "440, 0, 0, 0, 0, 0 -> EPERM",
		"fanotify_init":           "300, 0, 0 -> EPERM",
		"modify_ldt":              "154, 0, 0, 0 -> EPERM",
	}
	for name, call := range calls {
		arguments, want, _ := strings.Cut(call, " -> ")
		got := box.python(1000, `
import ctypes, errno
c = ctypes.CDLL(None, use_errno=True)
a = [x if isinstance(x, bytes) else ctypes.c_long(x) for x in (`+arguments+`,)]
r = c.syscall(*a)
print(errno.errorcode[ctypes.get_errno()] if r == -1 else "ok")`)
		if want == "0" {
			want = "ok"
		}
		if got != want {
			t.Errorf("%s: syscall(%s) answered %s, not %s", name, arguments, got, want)
		}
	}
}
