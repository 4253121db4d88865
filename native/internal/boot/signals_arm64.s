#include "textflag.h"

// nothing is a signal handler: the kernel has put the way back into the link register.
TEXT ·nothing(SB), NOSPLIT|NOFRAME, $0-0
	RET

// func nothingAddress() uintptr
TEXT ·nothingAddress(SB), NOSPLIT, $0-8
	MOVD $·nothing(SB), R0
	MOVD R0, ret+0(FP)
	RET
