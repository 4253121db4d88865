package boot

import (
	"os"
	"runtime"
	"sync"
	"time"
)

const (
	// threadsAhead are made before anything else runs in the sandbox: a fork bomb must not end the
	// neuron because it cannot make a thread.
	threadsAhead = 7
	// threadsIdle is how many threads an idle neuron keeps: those that always run, and enough for a
	// moment in which no thread can be made.
	threadsIdle = 12
	// trimEvery is how long a burst's threads stay.
	trimEvery = 10 * time.Second
)

// makeThreads makes so many threads beside those that run.
func makeThreads(n int) {
	var running, over sync.WaitGroup
	running.Add(n)
	over.Add(n)
	for range n {
		go func() {
			defer over.Done()
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			running.Done()
			running.Wait()
		}()
	}
	over.Wait()
}

// trimThreads gives back the threads that a burst has left: the runtime never does.
func trimThreads() {
	for range time.Tick(trimEvery) {
		trim()
	}
}

// trim ends what there is too many.
func trim() {
	for left := threads() - threadsIdle; left > 0; left-- {
		endThread()
	}
}

// endThread ends one thread: that of a goroutine that ends without unlocking it.
func endThread() {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
	}()
	<-done
}

func threads() int {
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return 0
	}
	return len(tasks)
}
