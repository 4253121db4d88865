#include "textflag.h"

// nothing is a signal handler: the kernel has put the way back on the stack.
TEXT ·nothing(SB), NOSPLIT|NOFRAME, $0-0
	RET

// func nothingAddress() uintptr
TEXT ·nothingAddress(SB), NOSPLIT, $0-8
	LEAQ ·nothing(SB), AX
	MOVQ AX, ret+0(FP)
	RET
