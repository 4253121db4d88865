package boot

import (
	"os"
	"path/filepath"
	"testing"
)

func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestMemoryOfBothVersionsOfControlGroups(t *testing.T) {
	v2 := folder(t, map[string]string{
		"current": "1048576\n", "max": "2097152\n", "stat": "anon 5\ninactive_file 48576\n", "events": "low 0\noom 2\noom_kill 1\n",
	})
	v1 := folder(t, map[string]string{
		"current": "1048576\n", "max": "9223372036854771712\n", "stat": "cache 5\ntotal_inactive_file 48576\n",
		"events": "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n",
	})
	cases := []struct {
		dir, inactive string
		limit         uint64
	}{{v2, "inactive_file", 2_097_152}, {v1, "total_inactive_file", 0}}
	for _, c := range cases {
		m := &Memory{files: memoryFiles{
			filepath.Join(c.dir, "current"), filepath.Join(c.dir, "max"), filepath.Join(c.dir, "stat"), filepath.Join(c.dir, "events"), c.inactive,
		}}
		if used, limit := m.Read(); used != 1_000_000 || limit != c.limit {
			t.Errorf("got %d of %d", used, limit)
		}
		if !m.Killed() || m.Killed() {
			t.Error("one death is to be told of once")
		}
	}
}

func TestWithoutAControlGroupTheProcessesAreCounted(t *testing.T) {
	proc := folder(t, map[string]string{"meminfo": "MemTotal: 9 kB\n"})
	for pid, statm := range map[string]string{"1": "316111 1993 1248 584 0 19661 0\n", "20": "9 7 2 0 0 0 0\n", "3": ""} {
		if err := os.Mkdir(filepath.Join(proc, pid), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(proc, pid, "statm"), []byte(statm), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if used, want := processesUsed(proc), uint64((1993-1248+7-2)*os.Getpagesize()); used != want {
		t.Errorf("got %d, not %d", used, want)
	}
	if used, _ := (&Memory{}).Read(); used == 0 || used >= systemUsed() {
		t.Errorf("got %d of a system that uses %d", used, systemUsed())
	}
}

func TestAPlainNeuronWithoutAControlGroupReadsTheSystem(t *testing.T) {
	m := &Memory{plain: true}
	if used, limit := m.Read(); used == 0 || limit != 0 || m.Killed() {
		t.Fatalf("got %d of %d", used, limit)
	}
}

func TestAnUnlimitedGroupHasNoLimit(t *testing.T) {
	dir := folder(t, map[string]string{"current": "5\n", "max": "max\n"})
	m := &Memory{files: memoryFiles{used: dir + "/current", limit: dir + "/max", stat: dir + "/none", deaths: dir + "/none"}}
	if used, limit := m.Read(); used != 5 || limit != 0 {
		t.Fatalf("got %d of %d", used, limit)
	}
}
