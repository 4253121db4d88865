package launch

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func golden(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestEveryGoldenRecordSurvivesARoundTrip(t *testing.T) {
	for name, record := range map[string]any{
		"start-oci.json":          &Spec{},
		"start-oci-rootless.json": &Spec{},
		"start-process.json":      &Spec{},
		"started.json":            &Started{},
		"stop.json":               &StopSpec{},
		"stopped.json":            &Stopped{},
		"pause.json":              &PauseSpec{},
		"paused.json":             &Changed{},
		"checkpoint.json":         &CheckpointSpec{},
		"checkpointed.json":       &Checkpointed{},
		"observe.json":            &ObserveSpec{},
		"observed.json":           &Observed{},
		"probed.json":             &Probed{},
		"pool.json":               &PoolSpec{},
		"pooled.json":             &PoolState{},
		"disks.json":              &DiskList{},
		"failed.json":             &Failed{},
	} {
		t.Run(name, func(t *testing.T) {
			data := golden(t, name)
			if err := Decode(bytes.NewReader(data), record); err != nil {
				t.Fatal(err)
			}
			again, err := json.Marshal(record)
			if err != nil {
				t.Fatal(err)
			}
			var want, got any
			if err := errors.Join(json.Unmarshal(data, &want), json.Unmarshal(again, &got)); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(want, got) {
				t.Fatalf("came back as %s", again)
			}
			if checked, ok := record.(interface{ Check() error }); ok {
				if err := checked.Check(); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func TestARequestThatIsNotUnderstoodIsRefused(t *testing.T) {
	for name, text := range map[string]string{
		"an unknown field":      `{"version":1,"colour":"red"}`,
		"something after it":    `{"version":1} {}`,
		"no JSON":               `version: 1`,
		"nothing":               ``,
		"a config of one word":  `{"version":1,"config":"x"}`,
		"an empty config":       `{"version":1,"config":null}`,
		"more than the maximum": `{"version":1,"id":"` + strings.Repeat("x", MaxInput) + `"}`,
	} {
		t.Run(name, func(t *testing.T) {
			var failure *Failure
			err := Decode(strings.NewReader(text), &Spec{})
			if !errors.As(err, &failure) || failure.Code != InvalidArgument {
				t.Fatalf("answered %v", err)
			}
		})
	}
}

func TestARequestWithAFaultNamesIt(t *testing.T) {
	for name, example := range map[string]struct {
		file  string
		spoil func(*Spec)
		want  string
	}{
		"version":          {"start-oci.json", func(s *Spec) { s.Version = 2 }, "version 2"},
		"id":               {"start-oci.json", func(s *Spec) { s.ID = "../x" }, "id"},
		"runtime":          {"start-oci.json", func(s *Spec) { s.Runtime.Kind = "vm" }, "runtime.kind"},
		"flavour":          {"start-oci.json", func(s *Spec) { s.Runtime.Flavour = "" }, "runtime.flavour"},
		"relative bundle":  {"start-oci.json", func(s *Spec) { s.Bundle = "b" }, "bundle"},
		"unclean target":   {"start-oci.json", func(s *Spec) { s.Mounts[0].Overlay.Target = "/../etc" }, "target"},
		"two kinds":        {"start-oci.json", func(s *Spec) { s.Mounts[0].CgroupView = &CgroupView{} }, "exactly one"},
		"upper alone":      {"start-oci.json", func(s *Spec) { s.Mounts[0].Overlay.Work = "" }, "both of upper and work"},
		"upper elsewhere":  {"start-oci.json", func(s *Spec) { s.Mounts[0].Overlay.Work = "/tmp/w" }, "beside each other"},
		"no mapping":       {"start-oci.json", func(s *Spec) { s.Idmap = nil }, "needs the mapping"},
		"impossible range": {"start-oci.json", func(s *Spec) { s.Idmap.Uids[0].HostID = 1<<32 - 2 }, "impossible range"},
		"long socket":      {"start-oci.json", func(s *Spec) { s.Listen.Path = "/" + strings.Repeat("x", 107) }, "107"},
		"cgroup outside":   {"start-oci.json", func(s *Spec) { s.Cgroup.Name = "cortex-a/../b" }, "cgroup.name"},
		"negative limit":   {"start-oci.json", func(s *Spec) { s.Cgroup.Pids = -1 }, "negative"},
		"mark":             {"start-process.json", func(s *Spec) { s.Process.Mark = 5 }, "mark"},
		"NUL":              {"start-process.json", func(s *Spec) { s.Process.Env[0] = "A=\x00" }, "NUL"},
		"no process":       {"start-process.json", func(s *Spec) { s.Process = nil }, "process is missing"},
	} {
		t.Run(name, func(t *testing.T) {
			spec := &Spec{}
			if err := Decode(bytes.NewReader(golden(t, example.file)), spec); err != nil {
				t.Fatal(err)
			}
			example.spoil(spec)
			err := spec.Check()
			if err == nil || !strings.Contains(err.Error(), example.want) {
				t.Fatalf("answered %v, want %q in it", err, example.want)
			}
		})
	}
}

func TestStopWithNothingToFindProcessesByIsRefused(t *testing.T) {
	spec := StopSpec{Version: 1, ID: "sb_1", Runtime: Runtime{Kind: None}}
	if err := spec.Check(); err == nil {
		t.Fatal("accepted")
	}
}

func FuzzDecode(f *testing.F) {
	for _, name := range []string{"start-oci.json", "start-process.json"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		spec := &Spec{}
		if Decode(io.LimitReader(bytes.NewReader(data), MaxInput), spec) == nil {
			_ = spec.Check()
		}
	})
}
