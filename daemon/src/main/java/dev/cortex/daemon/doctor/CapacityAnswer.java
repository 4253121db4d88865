package dev.cortex.daemon.doctor;

import java.util.List;

/**
 * The answer of {@code doctor --capacity N} for programs.
 *
 * @param against the limits that stand in the way of {@code wanted}
 * @param bounds all of them, the tightest first
 */
public record CapacityAnswer(
        long wanted, long sandboxes, List<Capacity.Bound> against, List<Capacity.Bound> bounds, Footprint footprint) {
    public static CapacityAnswer of(long wanted, Capacity capacity) {
        return new CapacityAnswer(
                wanted, capacity.sandboxes(), capacity.against(wanted), capacity.bounds(), capacity.footprint());
    }
}
