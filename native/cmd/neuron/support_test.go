package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

type atomicCount struct{ n atomic.Int64 }

func (c *atomicCount) add()       { c.n.Add(1) }
func (c *atomicCount) get() int64 { return c.n.Load() }

// until waits for a condition.
func until(t testing.TB, condition func() bool, otherwise string) {
	t.Helper()
	for end := time.Now().Add(patience); !condition(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal(otherwise)
		}
	}
}

func write(t testing.TB, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

func contains(lines []string, want string) bool { return slices.Contains(lines, want) }

// zombiesOf counts the dead children that a process has not collected.
func zombiesOf(t testing.TB, parent int) int {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	zombies := 0
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		f := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
		if f[0] == "Z" && f[1] == strconv.Itoa(parent) {
			zombies++
		}
	}
	return zombies
}

// originalFileLimit is the limit that a child of this process gets.
func originalFileLimit(t testing.TB) string {
	t.Helper()
	out, err := exec.Command("sh", "-c", "ulimit -n").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
