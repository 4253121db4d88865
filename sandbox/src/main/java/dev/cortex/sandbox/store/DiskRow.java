package dev.cortex.sandbox.store;

import java.time.Instant;

/**
 * A disk, which belongs to a name and outlives the record.
 *
 * @param folder its folder beneath the home's {@code disks/}
 * @param driver that wrote it (crun, runc and runsc count as one)
 * @param digest of its image, empty for images without one
 * @param anonymous made for a sandbox without a name: goes with the record
 */
public record DiskRow(
        String name, String folder, String driver, String image, String digest, boolean anonymous, Instant created) {}
