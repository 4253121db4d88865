package dev.cortex.drivers.launch;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;

/**
 * Sets host names of sandboxes from outside and as root: inside, nobody may. It takes a thread in the UTS namespace of the
 * first process, which each thread has for itself (setns(2)): a thread of its own that ends there, so that there is no way
 * back which could fail and leave a thread of ours, or the carrier of other virtual threads, inside a sandbox. Thread-safe.
 */
public final class HostNames {
    /** linux/sched.h. */
    private static final int CLONE_NEWUTS = 0x04000000;

    private HostNames() {}

    /** What takes tens of milliseconds in the life of a JVM is done now, on another thread. */
    public static void expect() {
        Thread.ofVirtual().name("host-names").start(Calls::load);
    }

    /** @throws CortexException GUEST_LOST when that process is gone, DRIVER_FAILED when the kernel refuses */
    public static void set(FirstProcess first, String name) {
        int descriptor = Pidfd.open(first.pid());
        if (descriptor < 0) {
            throw gone();
        }
        try {
            // Read after it was opened: if this agrees, so does the descriptor.
            if (!HeldProcesses.lives(first)) {
                throw gone();
            }
            enter(descriptor, name);
        } finally {
            Pidfd.close(descriptor);
        }
    }

    private static CortexException gone() {
        return CortexException.of(ErrorCode.GUEST_LOST, "the sandbox's first process is gone", "try again");
    }

    /** Returns when that thread has ended, whoever interrupts: until then it uses the descriptor. */
    private static void enter(int process, String name) {
        FutureTask<Boolean> naming = new FutureTask<>(() -> Calls.name(process, name), true);
        Thread thread = Thread.ofPlatform().daemon().name("host-name").start(naming);
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        if (naming.state() == Future.State.FAILED) {
            throw refused(naming.exceptionNow());
        }
    }

    private static CortexException refused(Throwable cause) {
        return cause instanceof CortexException known
                ? known
                : CortexException.of(ErrorCode.INTERNAL, "the host name could not be set", "see daemon.log")
                        .because(cause);
    }

    /** Of the C library. */
    private static final class Calls {
        private static final StructLayout STATE = Linker.Option.captureStateLayout();
        private static final VarHandle ERRNO = STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));
        private static final MethodHandle SETNS = handle(
                "setns", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
        private static final MethodHandle SETHOSTNAME = handle(
                "sethostname", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG));

        static void load() {
            // Being called has done it.
        }

        static void name(int process, String name) {
            enter(process);
            setHostName(name);
        }

        private static void enter(int process) {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment state = arena.allocate(STATE);
                require((int) SETNS.invokeExact(state, process, CLONE_NEWUTS), state, "entering its namespace");
            } catch (CortexException e) {
                throw e;
            } catch (Throwable e) {
                throw impossible(e);
            }
        }

        private static void setHostName(String name) {
            byte[] bytes = name.getBytes(StandardCharsets.US_ASCII);
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment state = arena.allocate(STATE);
                MemorySegment text = arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes);
                require(
                        (int) SETHOSTNAME.invokeExact(state, text, (long) bytes.length),
                        state,
                        "setting its host name");
            } catch (CortexException e) {
                throw e;
            } catch (Throwable e) {
                throw impossible(e);
            }
        }

        private static void require(int result, MemorySegment state, String what) {
            if (result != 0) {
                throw CortexException.of(
                        ErrorCode.DRIVER_FAILED,
                        what + " was refused (errno " + (int) ERRNO.get(state, 0L) + ")",
                        "run the daemon as root, or switch spares off: CORTEX_POOL=0");
            }
        }

        private static MethodHandle handle(String name, FunctionDescriptor type) {
            Linker linker = Linker.nativeLinker();
            return linker.downcallHandle(
                    linker.defaultLookup().findOrThrow(name), type, Linker.Option.captureCallState("errno"));
        }

        private static IllegalStateException impossible(Throwable e) {
            return new IllegalStateException("a call of the C library does not throw", e);
        }
    }
}
