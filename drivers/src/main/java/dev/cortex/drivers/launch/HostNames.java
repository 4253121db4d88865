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
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Sets host names of sandboxes from outside and as root: inside, nobody may. A thread enters the UTS namespace of the
 * first process for the moment; it is a namespace that each thread has for itself (setns(2)). Thread-safe.
 */
public final class HostNames {
    /** linux/sched.h. */
    private static final int CLONE_NEWUTS = 0x04000000;

    private static final Duration IDLE = Duration.ofSeconds(10);

    /** One thread, which no other code runs on, and which goes when there is nothing to do. */
    private final ExecutorService entering;

    public HostNames() {
        ThreadPoolExecutor one = new ThreadPoolExecutor(
                1,
                1,
                IDLE.toMillis(),
                TimeUnit.MILLISECONDS,
                new LinkedBlockingQueue<>(),
                Thread.ofPlatform().daemon().name("host-names").factory());
        one.allowCoreThreadTimeOut(true);
        this.entering = one;
    }

    /** What takes tens of milliseconds in the life of a JVM is done now, on another thread. */
    public void expect() {
        Thread.ofVirtual().name("host-names").start(Calls::own);
    }

    /** @throws CortexException GUEST_LOST when that process is gone, DRIVER_FAILED when the kernel refuses */
    public void set(FirstProcess first, String name) {
        int descriptor = Pidfd.open(first.pid());
        // Read after it was opened: if this agrees, so does the descriptor.
        if (descriptor < 0 || !HeldProcesses.lives(first)) {
            if (descriptor >= 0) {
                Pidfd.close(descriptor);
            }
            throw CortexException.of(ErrorCode.GUEST_LOST, "the sandbox's first process is gone", "try again");
        }
        try {
            entering.submit(() -> enter(descriptor, name)).get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw CortexException.of(ErrorCode.CANCELLED, "interrupted", "");
        } catch (ExecutionException e) {
            throw e.getCause() instanceof CortexException known ? known : new IllegalStateException(e.getCause());
        }
    }

    /** Closes the descriptor, since who waits for this may be gone by then; and goes back, or the namespace would stay. */
    private static void enter(int descriptor, String name) {
        try {
            Calls.enter(descriptor);
            try {
                Calls.setHostName(name);
            } finally {
                Calls.enter(Calls.own());
            }
        } finally {
            Pidfd.close(descriptor);
        }
    }

    /** Of the C library. */
    private static final class Calls {
        private static final StructLayout STATE = Linker.Option.captureStateLayout();
        private static final VarHandle ERRNO = STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));
        private static final MethodHandle SETNS = handle(
                "setns", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
        private static final MethodHandle SETHOSTNAME = handle(
                "sethostname", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG));

        /** Of this process, for as long as it lives. */
        private static final int OWN = Pidfd.open((int) ProcessHandle.current().pid());

        static int own() {
            return OWN;
        }

        static void enter(int process) {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment state = arena.allocate(STATE);
                require((int) SETNS.invokeExact(state, process, CLONE_NEWUTS), state, "entering its namespace");
            } catch (CortexException e) {
                throw e;
            } catch (Throwable e) {
                throw impossible(e);
            }
        }

        static void setHostName(String name) {
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
