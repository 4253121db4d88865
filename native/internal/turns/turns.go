// Package turns decides how soon the kernel lets a process run that has just been woken.
//
// Neuron and daemon do little at a time and are waited for at each step. Behind programs that compute or flood without
// end, each step would wait for the end of somebody's slice of time: up to a tick of the kernel, 4 ms, and a command has
// ten steps. A thread that asks for shorter slices gets no more time in all, but gets it at once (Linux 6.12; kernels
// before it ignore the wish). Nobody needs a right for it.
package turns

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// shortest is the kernel's least slice, in nanoseconds.
const shortest = 100_000

// resetOnFork is SCHED_FLAG_RESET_ON_FORK of linux/sched.h.
const resetOnFork = 1

// Short gives every thread of this process the shortest slices, and all that they start from now on. What cannot be had
// is no error.
func Short() { each(func(a *unix.SchedAttr) { a.Runtime = shortest }) }

// Usual takes back what this process inherited from one with short slices.
func Usual() {
	if own, err := unix.SchedGetAttr(0, 0); err == nil && own.Runtime == shortest {
		each(func(a *unix.SchedAttr) { a.Runtime = 0 })
	}
}

// UsualForChildren has processes that the calling thread starts begin with the usual slices. The caller has locked its
// goroutine to the thread.
func UsualForChildren() { change(0, func(a *unix.SchedAttr) { a.Flags |= resetOnFork }) }

// each changes every thread. One that begins meanwhile may be a child of one that had not its turn yet: the folder is
// read again until it holds nothing new.
func each(do func(*unix.SchedAttr)) {
	done := map[int]bool{}
	for again := true; again; {
		again = false
		threads, err := os.ReadDir("/proc/self/task")
		if err != nil {
			change(0, do)
			return
		}
		for _, thread := range threads {
			id, err := strconv.Atoi(thread.Name())
			if err == nil && !done[id] {
				done[id], again = true, true
				change(id, do)
			}
		}
	}
}

func change(thread int, do func(*unix.SchedAttr)) {
	attributes, err := unix.SchedGetAttr(thread, 0)
	if err != nil || attributes.Policy != unix.SCHED_NORMAL {
		return // somebody decided otherwise
	}
	do(attributes)
	_ = unix.SchedSetAttr(thread, attributes, 0)
}
