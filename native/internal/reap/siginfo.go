package reap

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// childOf reads si_pid, which in a SIGCHLD's siginfo_t stands behind three ints and, on 64-bit
// machines, four bytes of alignment (asm-generic/siginfo.h).
func childOf(info *unix.Siginfo) int {
	const offset = 16
	return int(*(*int32)(unsafe.Add(unsafe.Pointer(info), offset)))
}
