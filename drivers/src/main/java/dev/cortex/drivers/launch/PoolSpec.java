package dev.cortex.drivers.launch;

/**
 * What the launcher shall do with a home's pool of disks.
 *
 * @param home holds {@code disks} and {@code disks.img}
 * @param choice auto, folder or btrfs
 * @param mount one that exists is mounted
 * @param make one that does not exist is made
 * @param grow the image gets a step more
 * @param unmount its mount and loop device go
 */
public record PoolSpec(
        int version,
        String home,
        String choice,
        boolean mount,
        boolean make,
        boolean grow,
        boolean unmount,
        long initialBytes,
        long stepBytes,
        long marginBytes) {}
