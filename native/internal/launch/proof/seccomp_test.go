package proof

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
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
		got := box.syscall(arguments)
		if want == "0" {
			want = "ok"
		}
		if got != want {
			t.Errorf("%s: syscall(%s) answered %s, not %s", name, arguments, got, want)
		}
	}
}

// syscall makes a call past every library and says how it was answered.
func (b *box) syscall(arguments string) string {
	b.t.Helper()
	return b.python(1000, `
import ctypes, errno
c = ctypes.CDLL(None, use_errno=True)
a = [x if isinstance(x, bytes) else ctypes.c_long(x) for x in (`+arguments+`,)]
r = c.syscall(*a)
print(errno.errorcode[ctypes.get_errno()] if r == -1 else "ok")`)
}

// under starts a sandbox with another list.
func (w *world) under(list string) *box {
	w.t.Helper()
	text, err := os.ReadFile("../testdata/seccomp-" + list + ".json")
	w.must(err)
	var profile any
	w.must(json.Unmarshal(text, &profile))
	spec := w.spec(list)
	edit(w.t, &spec, func(config map[string]any) { config["linux"].(map[string]any)["seccomp"] = profile })
	_, box := w.start(spec)
	return box
}

func TestNestedLetsNamespacesBeMadeAndNothingElse(t *testing.T) {
	box := newWorld(t).under("nested")
	for name, call := range map[string]string{
		"unshare user":             "272, 0x10000000 -> ok",
		"unshare user and net":     "272, 0x50000000 -> ok",
		"unshare mount alone":      "272, 0x20000 -> EPERM", // by the kernel
		"unshare control groups":   "272, 0x12000000 -> EPERM",
		"unshare time":             "272, 0x10000080 -> EPERM",
		"clone control groups":     "56, 0x12000011, 0, 0, 0, 0 -> EPERM",
		"clone3":                   "435, 0, 0 -> ENOSYS",
		"mount as a user":          "165, b'x', b'/tmp', b'tmpfs', 0, 0 -> EPERM",
		"the new mounts":           "430, b'tmpfs', 0 -> EPERM",
		"setns of nothing":         "308, -1, 0 -> EBADF",
		"ptrace":                   "101, 0, 0, 0, 0 -> EPERM",
		"bpf":                      "321, 0, 0, 0 -> EPERM",
		"keyctl":                   "250, 0, 0, 0 -> EPERM",
		"open_by_handle_at":        "304, 0, 0, 0 -> EPERM",
		"vsock":                    "41, 40, 1, 0 -> EAFNOSUPPORT",
		"netfilter of a namespace": "41, 16, 3, 12 -> ENOSYS",
	} {
		arguments, want, _ := strings.Cut(call, " -> ")
		if got := box.syscall(arguments); got != want {
			t.Errorf("%s: answered %s, not %s", name, got, want)
		}
	}
	if got := box.sh(1000, `unshare -Urmpf sh -c 'mount -t tmpfs t /mnt && echo $$ $(id -u)'`); got != "1 0" {
		t.Errorf("a nested sandbox: got %q", got)
	}
	// A root of a nested namespace is no more than its maker outside of it.
	for _, refused := range []string{
		"mount -t proc p /proc", "mount -t sysfs s /mnt", "mount -o remount,rw /proc/sys", "umount /proc/kcore", "umount -l /sys",
		"echo x > /proc/sys/kernel/core_pattern", "echo 0 > /sys/fs/cgroup/memory/memory.limit_in_bytes",
		"mount -t cgroup -o memory c /mnt && echo $$ > /mnt/tasks", "mknod /tmp/disk b 8 0", "nsenter -t 1 -m true",
		"mount --bind /proc/1/root /mnt", "kill -9 1", "hwclock -w", "swapon /dev/null",
	} {
		if got := box.sh(1000, "unshare -Urm sh -c '"+refused+"' >/dev/null 2>&1 && echo worked || echo refused"); got != "refused" {
			t.Errorf("%s: %s", refused, got)
		}
	}
}

func TestDebugLetsOnesOwnProcessesBeTracedAndNotTheFirst(t *testing.T) {
	box := newWorld(t).under("debug")
	own := box.python(1000, `
import ctypes, os, signal, time
c = ctypes.CDLL(None, use_errno=True)
child = os.fork()
if child == 0:
    while True: time.sleep(1)
print(c.ptrace(16, child, 0, 0), os.waitpid(child, 0)[0] == child, c.ptrace(17, child, 0, 0))
os.kill(child, signal.SIGKILL)`)
	if own != "0 True 0" {
		t.Errorf("tracing a child: got %q", own)
	}
	for name, call := range map[string]string{
		"seize of the first process": "101, 0x4206, 1, 0, 0 -> EPERM",
		"kcmp with it":               "312, 1, 1, 2, 0, 0 -> EPERM",
		"unshare user":               "272, 0x10000000 -> EPERM",
		"mount":                      "165, 0, 0, 0, 0, 0 -> EPERM",
		"bpf":                        "321, 0, 0, 0 -> EPERM",
		"perf_event_open":            "298, 0, 0, 0, 0, 0 -> EPERM",
	} {
		arguments, want, _ := strings.Cut(call, " -> ")
		if got := box.syscall(arguments); got != want {
			t.Errorf("%s: answered %s, not %s", name, got, want)
		}
	}
}

// What a list differs in from the default one is what docs/seccomp.md says.
func TestTheOtherListsDifferFromTheDefaultAsDocumented(t *testing.T) {
	for list, want := range map[string][]string{
		"nested": {"clone", "mount", "pivot_root", "setns", "umount2", "unshare"},
		"debug":  {"kcmp", "pidfd_getfd", "process_madvise", "process_vm_readv", "process_vm_writev", "ptrace"},
	} {
		ours, others := allowed(t, "default"), allowed(t, list)
		var changed []string
		for name, rule := range others {
			if ours[name] != rule {
				changed = append(changed, name)
			}
		}
		slices.Sort(changed)
		if !slices.Equal(changed, want) || len(ours) > len(others) {
			t.Errorf("%s allows more of %v", list, changed)
		}
	}
}

// allowed are the calls that a list lets through, with the arguments that they must have.
func allowed(t *testing.T, list string) map[string]string {
	t.Helper()
	var profile struct {
		Syscalls []struct {
			Names  []string `json:"names"`
			Action string   `json:"action"`
			Args   any      `json:"args"`
		} `json:"syscalls"`
	}
	text, err := os.ReadFile("../testdata/seccomp-" + list + ".json")
	if err == nil {
		err = json.Unmarshal(text, &profile)
	}
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, rule := range profile.Syscalls {
		for _, name := range rule.Names {
			if rule.Action == "SCMP_ACT_ALLOW" {
				all[name] += fmt.Sprint(rule.Args)
			}
		}
	}
	return all
}
