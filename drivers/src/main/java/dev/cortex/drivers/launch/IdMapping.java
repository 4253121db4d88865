package dev.cortex.drivers.launch;

import java.util.List;

/** Maps user and group ids between a user namespace and its parent. */
public record IdMapping(List<Range> uids, List<Range> gids) {
    /** The caller and its subordinate ranges; for {@link LaunchSpec#rootless} alone. */
    public static final IdMapping SUBORDINATE = new IdMapping(List.of(), List.of());

    public IdMapping {
        uids = List.copyOf(uids);
        gids = List.copyOf(gids);
    }

    /** {@code size} ids from 0 on, the same for users and groups. */
    public static IdMapping of(long hostId, long size) {
        List<Range> ranges = List.of(new Range(0, hostId, size));
        return new IdMapping(ranges, ranges);
    }

    public record Range(long containerId, long hostId, long size) {}
}
