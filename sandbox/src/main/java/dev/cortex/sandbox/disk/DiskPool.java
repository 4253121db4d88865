package dev.cortex.sandbox.disk;

import java.nio.file.Path;
import java.util.Map;

/**
 * What holds the disks of one home. Nothing is made before the first disk. A pool is of one kind for as long as it has
 * disks. Thread-safe.
 */
public interface DiskPool extends AutoCloseable {
    /** Whether a disk's limit holds here. Decided before any disk is made. */
    boolean limits();

    /**
     * Brings up what is there: a pool that exists is mounted. Makes none.
     *
     * @throws dev.cortex.protocol.error.CortexException NOT_READY when one that exists cannot be used
     */
    void open();

    /**
     * Makes the pool ready for another disk: made where there is none yet, mounted, and with room.
     *
     * @throws dev.cortex.protocol.error.CortexException NOT_READY naming what is missing, DISK_FULL when neither the
     *     pool nor the host has room
     */
    void require();

    /**
     * Makes a disk where it is missing, and sets its limit. For drivers that do not do it with their start.
     *
     * @param limitBytes for all that is written to it, 0: none
     * @throws dev.cortex.protocol.error.CortexException UNSUPPORTED when a limit is asked for where none holds
     */
    void make(Path disk, long limitBytes);

    /**
     * What the disks take, by the names of their folders. One pass for all, whatever is on them; a disk that would have
     * to be walked is not among them.
     */
    Map<String, DiskUsage> usage();

    /** How it is now. Makes nothing. */
    PoolState state();

    /** Leaves everything as it is: sandboxes run on. */
    @Override
    void close();
}
