package dev.cortex.sandbox.store;

import java.time.Instant;

/**
 * A disk, which belongs to a name and outlives the record.
 *
 * @param folder its folder beneath the home's {@code disks/}
 * @param driver that wrote it (crun, runc and runsc count as one)
 * @param digest of its image, empty for images without one
 * @param anonymous made for a sandbox without a name: goes with the record
 * @param limitBytes of the disk, 0: none
 */
public record DiskRow(
        String name,
        String folder,
        String driver,
        String image,
        String digest,
        boolean anonymous,
        long limitBytes,
        Instant created) {

    public DiskRow limited(long newLimitBytes) {
        return new DiskRow(name, folder, driver, image, digest, anonymous, newLimitBytes, created);
    }
}
