package dev.cortex.protocol.api;

import java.util.List;
import java.util.Optional;

/** Records of the operation that removes what no sandbox needs. */
public final class Prune {
    private Prune() {}

    /**
     * @param apply do it; else only say what would go
     * @param disks those that are kept for removed names too
     * @param images those without a name that nobody uses too, and layers of no image
     */
    public record Request(Optional<Boolean> apply, Optional<Boolean> disks, Optional<Boolean> images) {}

    /** @param sandbox the id whose record is not there; @param what exists under its name */
    public record Orphan(String sandbox, List<String> what) {}

    /**
     * @param name that it is kept for; empty where no record knows it
     * @param bytes empty where it could not be measured
     */
    public record Disk(String name, String folder, Optional<Long> bytes) {}

    /** @param bytes of all its layers, which others may have as well */
    public record Image(String digest, long bytes) {}

    /** @param chain the id of a layer and all beneath it */
    public record Layer(String chain, long bytes) {}

    /**
     * @param applied false for a dry run
     * @param disks that went, or would go with {@code disks}
     * @param images that went, or would go with {@code images}
     * @param layers of no image that went, or would go with {@code images}
     * @param unsure what could not be looked at or told for certain, and is kept
     * @param left what could not be removed, with the reason
     */
    public record Result(
            boolean applied,
            List<Orphan> orphans,
            List<Disk> disks,
            List<Image> images,
            List<Layer> layers,
            List<String> unsure,
            List<String> left) {}
}
