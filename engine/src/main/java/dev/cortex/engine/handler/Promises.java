package dev.cortex.engine.handler;

import dev.cortex.protocol.api.Usage.Promised;
import dev.cortex.sandbox.State;
import dev.cortex.sandbox.disk.PoolState;
import dev.cortex.sandbox.store.DiskRow;
import dev.cortex.sandbox.store.SandboxRow;
import dev.cortex.sandbox.store.SpareRow;
import java.util.List;
import java.util.stream.Stream;

/** How far memory and disk are overcommitted; a pure function. */
public final class Promises {
    private Promises() {}

    /** @param memory of the machine, in bytes */
    public static Promised of(
            List<SandboxRow> sandboxes, List<SpareRow> spares, List<DiskRow> disks, PoolState pool, long memory) {
        List<Long> memories = Stream.concat(
                        sandboxes.stream()
                                .filter(row -> row.state() == State.RUNNING || row.state() == State.PAUSED)
                                .map(row -> row.settings().limits().memoryBytes()),
                        spares.stream().map(row -> row.kind().limits().memoryBytes()))
                .toList();
        List<Long> sizes = Stream.concat(
                        disks.stream().map(DiskRow::limitBytes),
                        spares.stream().map(row -> row.kind().limits().diskBytes()))
                .toList();
        return new Promised(
                sum(memories),
                times(sum(memories), memory),
                unlimited(memories),
                sum(sizes),
                times(sum(sizes), possible(pool)),
                unlimited(sizes));
    }

    /** What all disks together could ever take: an image can grow by what the host has left. */
    private static long possible(PoolState pool) {
        return switch (pool.kind()) {
            case FOLDER, BTRFS -> pool.hostTotalBytes();
            case IMAGE -> pool.totalBytes() + pool.hostFreeBytes();
        };
    }

    private static long sum(List<Long> limits) {
        return limits.stream().mapToLong(Long::longValue).sum();
    }

    private static int unlimited(List<Long> limits) {
        return (int) limits.stream().filter(limit -> limit == 0).count();
    }

    /** To a hundredth. */
    private static double times(long promised, long there) {
        return there == 0 ? 0 : Math.round(100.0 * promised / there) / 100.0;
    }
}
