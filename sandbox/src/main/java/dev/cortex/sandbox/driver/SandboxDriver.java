package dev.cortex.sandbox.driver;

import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Makes sandboxes of one kind. A driver knows processes, file systems and streams; it knows no calls, no sessions and
 * no records, and never calls back into the core. Every method may be called from any thread; the core makes sure that
 * two operations on one sandbox never overlap.
 */
public interface SandboxDriver {
    /** Such as {@code oci}; unique among the drivers of a home. */
    String name();

    /** Plain data, decided before any call. */
    Capabilities capabilities();

    /** Whether it can work here and now. Fails closed: each missing thing is named with its fix. */
    Readiness check();

    /** The programs that can be beneath it, the strongest first; empty where there is nothing to choose from. */
    default List<String> runtimes() {
        return List.of();
    }

    /**
     * Whether it can work here and now with one of its {@link #runtimes()}.
     *
     * @throws dev.cortex.protocol.error.CortexException UNSUPPORTED for a runtime that it does not know
     */
    default Readiness check(String runtime) {
        return check();
    }

    /**
     * Who the default user of a sandbox with that disk is and where it works, unless the image or the call says
     * otherwise. A driver whose sandboxes have no root of their own says what it has instead.
     */
    default Placement placement(Path disk) {
        return Placement.AGENT;
    }

    /** Whether a start makes the disk where it is missing, and sets its limit; else the core has it made before. */
    default boolean makesDisks() {
        return false;
    }

    /**
     * Starts a sandbox's first process and returns when its listener exists, not when it answers. Names of all outside
     * resources derive from the sandbox id. On failure nothing is left.
     *
     * @throws dev.cortex.protocol.error.CortexException NOT_READY, DRIVER_FAILED, DISK_FULL, CAPACITY, UNSUPPORTED
     */
    Handle start(StartRequest request);

    /** What each handle's sandbox is now; one pass for all. {@code Unknown} where it cannot be told. */
    Map<Handle, Observation> observe(Collection<Handle> handles);

    /**
     * Why a sandbox died that nobody ended, in words, as far as the host has kept it: counters of its control group, an
     * exit status. Asked before anything of it is removed. Never guessed: empty when it cannot be told.
     */
    default Optional<String> causeOfDeath(Handle handle) {
        return Optional.empty();
    }

    /**
     * Ends everything of a sandbox and removes what {@link #start} made outside its disk. Idempotent, and works from
     * the id alone when there is no handle (a crash between intent and handle).
     *
     * @throws dev.cortex.protocol.error.CortexException DRIVER_FAILED naming what still exists
     */
    void stop(StopRequest request);

    /**
     * A new reliable stream to the sandbox's listener.
     *
     * @throws dev.cortex.protocol.error.CortexException GUEST_LOST when nothing listens or the listener is another
     */
    GuestStream dial(Handle handle);

    /** Deletes a sandbox's disk, whoever owns its files; a missing one is no error. */
    void wipeDisk(Path disk);

    /** Bytes that a disk takes on the host. */
    long diskUsage(Path disk);
}
