package boot

import (
	"testing"
	"time"
)

func TestThreadsThatABurstHasLeftAreGivenBack(t *testing.T) {
	makeThreads(40)
	if n := threads(); n < 40 {
		t.Fatalf("there are %d threads", n)
	}
	// One that ends may take a moment to be gone, and one that just started to be idle.
	for deadline := time.Now().Add(time.Minute); threads() > threadsIdle; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d threads stay", threads())
		}
		trim()
	}
}
