package dev.cortex.protocol.api;

import java.util.List;
import java.util.Optional;

/**
 * What a home takes of its machine, and what it has promised.
 *
 * @param disks whose sandbox has been removed
 * @param spares that were started ahead, and are nobody's yet
 * @param unknownDisks folders in the pool that no record knows
 * @param imagesBytes of everything unpacked
 */
public record Usage(
        Host host,
        Pool pool,
        Promised promised,
        List<OfSandbox> sandboxes,
        List<Lifecycle.KeptDisk> disks,
        List<Spare> spares,
        List<String> unknownDisks,
        long imagesBytes) {

    /** The machine; its disk is the one that the home lies on. */
    public record Host(long memoryBytes, long memoryFreeBytes, int cpus, long diskBytes, long diskFreeBytes) {}

    /**
     * What holds the disks.
     *
     * @param kind folder, btrfs or image
     * @param ready it takes another disk; an image is made with the first
     * @param limits a disk's limit holds
     * @param totalBytes and {@code freeBytes}: 0 before it is made
     * @param why there are no limits
     * @param fix the one command that would give them
     * @param problem with a pool that exists
     */
    public record Pool(
            String kind,
            String path,
            boolean ready,
            boolean limits,
            long totalBytes,
            long freeBytes,
            Optional<String> why,
            Optional<String> fix,
            Optional<String> problem,
            Optional<String> remedy) {}

    /**
     * The limits of all running sandboxes and of all disks together.
     *
     * @param memoryTimes of the machine's memory
     * @param memoryUnlimited sandboxes that may take any
     * @param diskTimes of what disks could ever have here: the pool, and what it can still grow by
     * @param disksUnlimited disks that may take any
     */
    public record Promised(
            long memoryBytes,
            double memoryTimes,
            int memoryUnlimited,
            long diskBytes,
            double diskTimes,
            int disksUnlimited) {}

    /**
     * A sandbox of the warm pool.
     *
     * @param id that of the sandbox that it will be
     * @param ready false while it is being made or removed
     */
    public record Spare(
            String id, String driver, String image, boolean ready, long memoryLimitBytes, long processLimit) {}

    /** One sandbox; what could not be asked is absent, a limit of 0 is none. */
    public record OfSandbox(
            String name,
            String state,
            String driver,
            Optional<Long> memoryBytes,
            long memoryLimitBytes,
            Optional<Long> processes,
            long processLimit,
            Optional<Long> diskBytes,
            long diskLimitBytes) {}
}
