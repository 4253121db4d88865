package dev.cortex.sandbox.disk;

/**
 * What a disk takes on the host.
 *
 * @param bytes data and metadata
 * @param limitBytes 0: none
 */
public record DiskUsage(long bytes, long limitBytes) {}
