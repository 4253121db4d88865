package dev.cortex.drivers.launch;

import java.util.Optional;

/**
 * What the launcher says of a pool of disks.
 *
 * @param kind folder, btrfs or image
 */
public record Pooled(
        String kind,
        boolean ready,
        boolean limits,
        String folder,
        Optional<String> device,
        long totalBytes,
        long freeBytes,
        long hostTotalBytes,
        long hostFreeBytes,
        Optional<String> why,
        Optional<String> fix,
        Optional<String> problem,
        Optional<String> remedy) {}
