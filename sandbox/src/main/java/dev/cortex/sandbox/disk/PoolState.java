package dev.cortex.sandbox.disk;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A pool as it is now.
 *
 * @param ready it exists and takes another disk
 * @param limits a disk's limit holds
 * @param folder holds a folder for each disk
 * @param totalBytes and {@code freeBytes} of the pool; 0 before it is made
 * @param hostTotalBytes and {@code hostFreeBytes} of the file system that the home lies on
 * @param why it is a plain folder or has no limits, in words
 * @param fix the one command that would give limits
 * @param problem with a pool that exists
 * @param remedy for it
 * @param folders of disks that exist, whether a record knows them or not
 */
public record PoolState(
        Kind kind,
        boolean ready,
        boolean limits,
        Path folder,
        long totalBytes,
        long freeBytes,
        long hostTotalBytes,
        long hostFreeBytes,
        Optional<String> why,
        Optional<String> fix,
        Optional<String> problem,
        Optional<String> remedy,
        List<String> folders) {
    public PoolState {
        folders = List.copyOf(folders);
    }

    /** How disks are kept. */
    public enum Kind {
        /** Plain folders, without limits. */
        FOLDER,
        /** Subvolumes of the btrfs that the home lies on. */
        BTRFS,
        /** Subvolumes of a btrfs in an image file of the home. */
        IMAGE;

        /** As surfaces call it. */
        public String word() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }
    }
}
