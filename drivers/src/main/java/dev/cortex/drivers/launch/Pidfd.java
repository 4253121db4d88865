package dev.cortex.drivers.launch;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Optional;

/** Descriptors of processes, as Linux 5.3 has them; that they tell the exit status came with 6.15 (linux/pidfd.h). */
final class Pidfd {
    /** The same on every architecture. */
    private static final long PIDFD_OPEN = 434;

    /** _IOWR(0xFF, 11, 64 bytes): PIDFD_GET_INFO with the first version of its structure. */
    private static final long PIDFD_GET_INFO = 0xC040FF0BL;

    private static final int INFO_BYTES = 64;
    private static final long INFO_EXIT = 1L << 3;
    private static final int MASK_AT = 0;
    private static final int EXIT_CODE_AT = 60;

    private static final MethodHandle SYSCALL = handle(
            "syscall",
            FunctionDescriptor.of(
                    ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG),
            1);
    private static final MethodHandle IOCTL = handle(
            "ioctl",
            FunctionDescriptor.of(
                    ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS),
            2);
    private static final MethodHandle CLOSE =
            handle("close", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT), 1);

    private Pidfd() {}

    /** Negative when there is no such process, or no such call. */
    static int open(int pid) {
        try {
            return (int) (long) SYSCALL.invokeExact(PIDFD_OPEN, (long) pid, 0L);
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    /** In the form of wait(2), once somebody has collected it; empty before, and on older kernels. */
    static Optional<Integer> exitStatus(int descriptor) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment info = arena.allocate(INFO_BYTES, Long.BYTES);
            info.set(ValueLayout.JAVA_LONG, MASK_AT, INFO_EXIT);
            int failed = (int) IOCTL.invokeExact(descriptor, PIDFD_GET_INFO, info);
            boolean told = failed == 0 && (info.get(ValueLayout.JAVA_LONG, MASK_AT) & INFO_EXIT) != 0;
            return told ? Optional.of(info.get(ValueLayout.JAVA_INT, EXIT_CODE_AT)) : Optional.empty();
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    static void close(int descriptor) {
        try {
            int ignored = (int) CLOSE.invokeExact(descriptor);
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    private static MethodHandle handle(String name, FunctionDescriptor type, int fixed) {
        Linker linker = Linker.nativeLinker();
        SymbolLookup library = linker.defaultLookup();
        Linker.Option[] options = fixed < type.argumentLayouts().size()
                ? new Linker.Option[] {Linker.Option.firstVariadicArg(fixed)}
                : new Linker.Option[0];
        return linker.downcallHandle(library.findOrThrow(name), type, options);
    }

    private static IllegalStateException impossible(Throwable e) {
        return new IllegalStateException("a call of the C library does not throw", e);
    }
}
