package cleanup

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestReleasesRunOnceLastFirstAndKeepEveryError(t *testing.T) {
	var order []string
	var stack Stack
	for _, name := range []string{"socket", "group", "mount"} {
		stack.Push("removing the "+name, func() error {
			order = append(order, name)
			return errors.New("no " + name)
		})
	}
	err := stack.Run()
	if !slices.Equal(order, []string{"mount", "group", "socket"}) {
		t.Fatalf("ran %v", order)
	}
	for _, want := range []string{"removing the mount: no mount", "no group", "no socket"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in %q", want, err)
		}
	}
	if err := stack.Run(); err != nil || len(order) != 3 {
		t.Fatalf("ran again: %v, %v", order, err)
	}
}

func TestWhatIsKeptIsNotReleased(t *testing.T) {
	var stack Stack
	stack.Push("never", func() error { return errors.New("released") })
	stack.Keep()
	if err := stack.Run(); err != nil {
		t.Fatal(err)
	}
}
