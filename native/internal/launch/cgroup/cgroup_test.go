package cgroup

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"cortex.dev/native/internal/launch"
)

func TestTheLayoutIsReadFromTheMounts(t *testing.T) {
	const hybrid = `29 23 0:25 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755
30 29 0:26 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct
31 29 0:27 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
32 29 0:28 / /sys/fs/cgroup/pids rw,relatime shared:5 - cgroup cgroup rw,pids
33 29 0:29 / /sys/fs/cgroup/systemd rw,relatime - cgroup cgroup rw,name=systemd
34 29 0:30 /part /mnt/other rw,relatime - cgroup cgroup rw,freezer
`
	const unified = "35 29 0:31 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n"
	want := []Hierarchy{
		{"/sys/fs/cgroup/memory", []string{"memory"}},
		{"/sys/fs/cgroup/pids", []string{"pids"}},
		{"/sys/fs/cgroup/cpu,cpuacct", []string{"cpu"}},
	}
	for name, example := range map[string]struct {
		mounts string
		kind   Kind
		want   []Hierarchy
	}{
		"hybrid":  {hybrid + unified, Hybrid, want},
		"v1":      {hybrid, V1, want},
		"v2":      {"29 23 0:25 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n", V2, nil},
		"nothing": {"23 1 0:1 / / rw - ext4 /dev/vda rw\n", Absent, nil},
		"rubbish": {"a - b\n - cgroup cgroup rw,memory\n\n", Absent, nil},
	} {
		t.Run(name, func(t *testing.T) {
			layout := parse([]byte(example.mounts))
			if layout.Kind != example.kind || !slices.EqualFunc(layout.Hierarchies, example.want, func(a, b Hierarchy) bool { return reflect.DeepEqual(a, b) }) {
				t.Errorf("read %+v", layout)
			}
		})
	}
}

func TestLimitsBecomeTheFilesOfEachVersion(t *testing.T) {
	limits := launch.Cgroup{MemoryBytes: 1 << 30, Pids: 100, CPUQuotaMicros: 150_000, CPUShares: 512}
	for name, example := range map[string]struct {
		got  []setting
		want map[string]string
	}{
		"v1": {v1Settings(limits), map[string]string{
			"memory.limit_in_bytes": "1073741824", "memory.memsw.limit_in_bytes": "1073741824", "pids.max": "100",
			"cpu.cfs_period_us": "100000", "cpu.cfs_quota_us": "150000", "cpu.shares": "512",
		}},
		"v2": {v2Settings(limits), map[string]string{
			"memory.max": "1073741824", "memory.swap.max": "0", "pids.max": "100", "cpu.max": "150000 100000", "cpu.weight": "50",
		}},
		"no limits on v1": {v1Settings(launch.Cgroup{CPUShares: 1024}), map[string]string{}},
		"no limits on v2": {v2Settings(launch.Cgroup{}), map[string]string{}},
	} {
		t.Run(name, func(t *testing.T) {
			got := map[string]string{}
			for _, setting := range example.got {
				got[setting.file] = setting.value
			}
			if !reflect.DeepEqual(got, example.want) {
				t.Errorf("got %v", got)
			}
		})
	}
}

func TestWeightsKeepTheirProportions(t *testing.T) {
	for shares, want := range map[int64]int64{2: 1, 1024: 100, 2048: 200, 262_144: 10_000} {
		if got := weight(shares); got != want {
			t.Errorf("%d shares became %d", shares, got)
		}
	}
}

// onHost is a group of this host, or a failure: there are control groups on every
// host that runs these tests.
func onHost(t *testing.T, name string) Group {
	t.Helper()
	layout, err := Find()
	if err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() != 0 || layout.Kind == Absent {
		t.Fatal("this test needs root and control groups")
	}
	group := layout.Of("cortex-group-test/" + name)
	t.Cleanup(func() {
		if left := group.Remove(time.Now().Add(5 * time.Second)); len(left) > 0 {
			t.Errorf("left are %v", left)
		}
	})
	return group
}

func TestAGroupIsMadeLimitedAndRemovedWithWhatIsBelow(t *testing.T) {
	group := onHost(t, "below")
	if err := group.Make(launch.Cgroup{MemoryBytes: 64 << 20, Pids: 7}); err != nil {
		t.Fatal(err)
	}
	for _, dir := range group.dirs() {
		if err := os.Mkdir(filepath.Join(dir.Root, "inner"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if !group.Exists() || group.CheckFree() != nil {
		t.Error("it is not there, or not free")
	}
	if frozen, err := group.Frozen(); frozen || err != nil {
		t.Errorf("frozen %v, %v", frozen, err)
	}
	if left := group.Remove(time.Now().Add(5 * time.Second)); len(left) > 0 || group.Exists() {
		t.Errorf("left are %v", left)
	}
}

func TestALimitWithoutItsControllerIsRefused(t *testing.T) {
	group := Layout{Kind: V2, Top: t.TempDir()}.Of("cortex-none/a")
	var failure *launch.Failure
	if err := group.Make(launch.Cgroup{Pids: 7}); !errors.As(err, &failure) || failure.Code != launch.NotReady {
		t.Errorf("answered %v", err)
	}
	if group.Exists() {
		t.Error("it was made")
	}
}

func TestHierarchiesThatOnlyAJVMLooksForAreKnown(t *testing.T) {
	layout := parse([]byte(`30 29 0:26 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu
31 29 0:27 / /sys/fs/cgroup/cpuacct rw - cgroup cgroup rw,cpuacct
32 29 0:28 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset
33 29 0:29 / /sys/fs/cgroup/blkio rw - cgroup cgroup rw,blkio
`))
	want := []Hierarchy{{"/sys/fs/cgroup/cpuacct", []string{"cpuacct"}}, {"/sys/fs/cgroup/cpuset", []string{"cpuset"}}}
	if !reflect.DeepEqual(layout.Witnesses, want) || len(layout.Others) != 3 {
		t.Errorf("read %+v", layout)
	}
}
