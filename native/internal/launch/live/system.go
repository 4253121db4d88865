package live

import (
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"
)

// pointer: Stat_t of the two packages is the same structure of the kernel.
func pointer(stat *unix.Stat_t) unsafe.Pointer { return unsafe.Pointer(stat) }

func procPath(fd int) string { return "/proc/self/fd/" + strconv.Itoa(fd) }
