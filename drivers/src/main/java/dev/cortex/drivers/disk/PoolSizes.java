package dev.cortex.drivers.disk;

/**
 * How an image grows, in bytes.
 *
 * @param initial of a new image; less where the host has less
 * @param step it grows by
 * @param headroom it grows when less than this is free
 * @param margin of the host's file system that stays free
 */
public record PoolSizes(long initial, long step, long headroom, long margin) {
    /**
     * A step is set aside in 5 ms on ext4. The headroom is what a writer at disk speed needs for longer than it takes
     * to notice and grow.
     */
    public static final PoolSizes USUAL = new PoolSizes(2L << 30, 2L << 30, 1L << 30, 1L << 30);
}
