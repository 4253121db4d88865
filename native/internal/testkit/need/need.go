// Package need says what a test needs of its machine. In CI a test that cannot run has failed.
package need

import (
	"os"
	"testing"
)

// That skips the test where the need is not met, and fails it in CI.
func That(t testing.TB, met bool, need string) {
	t.Helper()
	switch {
	case met:
	case os.Getenv("CI") == "true":
		t.Fatal("this test must run here, and needs " + need)
	default:
		t.Skip("needs " + need)
	}
}

// Time is the need of a run in which slow tests have their place: CI_SLOW=1.
func Time(t testing.TB) {
	t.Helper()
	if os.Getenv("CI_SLOW") != "1" {
		t.Skip("slow: runs with CI_SLOW=1")
	}
}

// Root is the need of root's rights, for what the words say.
func Root(t testing.TB, why string) {
	t.Helper()
	That(t, os.Getuid() == 0, "root: "+why)
}
