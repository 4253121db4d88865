package dev.cortex.engine;

import dev.cortex.sandbox.disk.PoolState;
import java.util.ArrayList;
import java.util.List;

/** A pool of disks in words, for a doctor. */
final class PoolText {
    private PoolText() {}

    static List<String> of(PoolState pool) {
        List<String> notes = new ArrayList<>();
        notes.add("disks: " + kind(pool) + (pool.limits() ? ", limits hold" : ", no limits")
                + pool.why()
                        .filter(why -> !pool.limits())
                        .map(why -> ": " + why)
                        .orElse("")
                + pool.fix()
                        .filter(fix -> !pool.limits())
                        .map(fix -> "; fix: " + fix)
                        .orElse(""));
        pool.problem()
                .ifPresent(problem -> notes.add("disks: " + problem
                        + pool.remedy().map(remedy -> "; fix: " + remedy).orElse("")));
        return notes;
    }

    private static String kind(PoolState pool) {
        return switch (pool.kind()) {
            case FOLDER -> "plain folders at " + pool.folder();
            case BTRFS -> "subvolumes of the btrfs at " + pool.folder();
            case IMAGE ->
                pool.totalBytes() == 0
                        ? "btrfs in an image at " + pool.folder() + ", made or mounted when it is needed"
                        : "btrfs in an image at " + pool.folder() + ", "
                                + mebibytes(pool.totalBytes() - pool.freeBytes()) + " of "
                                + mebibytes(pool.totalBytes()) + " taken, grows by itself";
        };
    }

    private static String mebibytes(long bytes) {
        return (bytes >> 20) + " MiB";
    }
}
