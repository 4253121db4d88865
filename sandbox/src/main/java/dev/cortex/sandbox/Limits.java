package dev.cortex.sandbox;

/**
 * What a sandbox may use; 0 stands for no limit.
 *
 * @param memoryBytes of all its processes and its tmpfs
 * @param cpus cores' worth of time, such as 1.5; 0: all, with fair shares
 * @param processes processes and threads
 * @param diskBytes of its disk, where the pool has limits
 */
public record Limits(long memoryBytes, double cpus, long processes, long diskBytes) {
    /** 2 GiB of memory, all cpus, 1,024 processes; 10 GiB of disk where the pool has limits (DESIGN section 1). */
    public static final Limits DEFAULT = new Limits(2L << 30, 0, 1_024, 10L << 30);
}
