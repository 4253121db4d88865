package proof

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"bytes"

	"cortex.dev/native/internal/launch"
)

// contender is one way to start a sandbox.
type contender struct {
	name   string
	change func(testing.TB, *launch.Spec)
}

var contenders = []contender{
	{"everything", func(testing.TB, *launch.Spec) {}},
	{"lowers not idmapped", func(_ testing.TB, s *launch.Spec) {
		for _, mount := range s.Mounts {
			if mount.Overlay != nil {
				mount.Overlay.IdmapLowers, mount.Overlay.IdmapUpper = false, false
			}
		}
	}},
	{"no cgroups", func(_ testing.TB, s *launch.Spec) { s.Cgroup = nil }},
	{"no seccomp", func(t testing.TB, s *launch.Spec) {
		edit(t, s, func(c map[string]any) { delete(c["linux"].(map[string]any), "seccomp") })
	}},
	{"no network namespace", func(t testing.TB, s *launch.Spec) {
		edit(t, s, func(c map[string]any) {
			linux := c["linux"].(map[string]any)
			linux["namespaces"] = slices.DeleteFunc(linux["namespaces"].([]any), func(n any) bool {
				return n.(map[string]any)["type"] == "network"
			})
			// sysfs belongs to a network namespace of one's own.
			c["mounts"] = slices.DeleteFunc(c["mounts"].([]any), func(m any) bool {
				return strings.HasPrefix(m.(map[string]any)["destination"].(string), "/sys")
			})
		})
		s.Mounts = s.Mounts[:4]
	}},
}

// BenchmarkStart measures from the start of the launcher's process to the first
// byte of the first process, contenders in turn. Run it quietly:
//
//	go test -run '^$' -bench Start -benchtime 60x ./internal/launch/proof
//
// It prints medians and minima in milliseconds, and the steps of "everything".
func BenchmarkStart(b *testing.B) {
	took := map[string][]time.Duration{}
	steps := map[string][]time.Duration{}
	var order []string
	var stops []time.Duration
	w := newWorld(b)
	for b.Loop() {
		for _, c := range contenders {
			id := fmt.Sprintf("bench%d", len(took[c.name]))
			spec := w.spec(id)
			c.change(b, &spec)
			text, err := json.Marshal(spec)
			w.must(err)
			began := time.Now()
			command := exec.Command(programs.launcher, "start")
			command.Stdin = bytes.NewReader(text)
			output, err := command.Output()
			if err != nil {
				b.Fatalf("%s: %v %s", c.name, err, output)
			}
			firstByte(b, spec.Listen.Path)
			took[c.name] = append(took[c.name], time.Since(began))
			var started launch.Started
			w.must(json.Unmarshal(output, &started))
			if c.name == "everything" {
				for _, timing := range started.Timings {
					if len(steps[timing.Step]) == 0 {
						order = append(order, timing.Step)
					}
					steps[timing.Step] = append(steps[timing.Step], time.Duration(timing.Micros)*time.Microsecond)
				}
			}
			began = time.Now()
			w.stop(spec, &started)
			stops = append(stops, time.Since(began))
			w.must(os.RemoveAll(w.path("disk", id)))
		}
	}
	for _, c := range contenders {
		fmt.Fprintf(os.Stderr, "%-22s %s\n", c.name, summary(took[c.name]))
	}
	for _, step := range order {
		fmt.Fprintf(os.Stderr, "  step %-15s %s\n", step, summary(steps[step]))
	}
	fmt.Fprintf(os.Stderr, "%-22s %s\n", "stop", summary(stops))
}

// BenchmarkRuntimes compares the runtimes, in turn, with everything switched on:
//
//	go test -run '^$' -bench Runtimes -benchtime 30x ./internal/launch/proof
//
// Memory is what the sandbox's group has charged once it serves, in MiB.
func BenchmarkRuntimes(b *testing.B) {
	took, stops, memory := map[string][]time.Duration{}, map[string][]time.Duration{}, map[string][]float64{}
	w := newWorld(b)
	for b.Loop() {
		for _, flavour := range all() {
			w.flavour = flavour
			id := fmt.Sprintf("%s%d", flavour, len(took[flavour]))
			spec := w.spec(id)
			text, err := json.Marshal(spec)
			w.must(err)
			began := time.Now()
			command := exec.Command(programs.launcher, "start")
			command.Stdin = bytes.NewReader(text)
			output, err := command.Output()
			if err != nil {
				b.Fatalf("%s: %v %s", flavour, err, output)
			}
			firstByte(b, spec.Listen.Path)
			took[flavour] = append(took[flavour], time.Since(began))
			memory[flavour] = append(memory[flavour], charged(b, spec.Cgroup.Name))
			var started launch.Started
			w.must(json.Unmarshal(output, &started))
			began = time.Now()
			w.stop(spec, &started)
			stops[flavour] = append(stops[flavour], time.Since(began))
			w.must(os.RemoveAll(w.path("disk", id)))
		}
	}
	for _, flavour := range all() {
		slices.Sort(memory[flavour])
		fmt.Fprintf(os.Stderr, "%-6s start %s\n%-6s stop  %s\n%-6s memory median %.1f MiB\n", flavour, summary(took[flavour]),
			flavour, summary(stops[flavour]), flavour, memory[flavour][len(memory[flavour])/2])
	}
}

func charged(b *testing.B, group string) float64 {
	b.Helper()
	for _, file := range []string{"/sys/fs/cgroup/memory/" + group + "/memory.usage_in_bytes", "/sys/fs/cgroup/" + group + "/memory.current"} {
		if text, err := os.ReadFile(file); err == nil {
			bytes, err := strconv.ParseFloat(strings.TrimSpace(string(text)), 64)
			if err != nil {
				b.Fatal(err)
			}
			return bytes / (1 << 20)
		}
	}
	b.Fatal("the group charges no memory")
	return 0
}

func summary(all []time.Duration) string {
	slices.Sort(all)
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	return fmt.Sprintf("median %6.2f  min %6.2f  p95 %6.2f  n %d", ms(all[len(all)/2]), ms(all[0]), ms(all[len(all)*95/100]), len(all))
}

func firstByte(b *testing.B, path string) {
	connection, err := net.Dial("unix", path)
	if err != nil {
		b.Fatal(err)
	}
	defer connection.Close()
	if n, err := connection.Read(make([]byte, 1)); n != 1 || err != nil {
		b.Fatal(n, err)
	}
}
