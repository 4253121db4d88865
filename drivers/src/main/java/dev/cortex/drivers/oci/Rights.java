package dev.cortex.drivers.oci;

import dev.cortex.drivers.launch.IdMapping;
import java.util.List;
import java.util.Optional;

/**
 * As whom sandboxes are made, which decides how ids are mapped.
 *
 * @param hostBase the first host uid of the sandbox, 0 when rootless: then ids are those of the caller's namespace
 */
record Rights(boolean rootless, long hostBase) {
    static final Rights ROOTLESS = new Rights(true, 0);

    private static final List<IdMapping.Range> SAME_RANGES =
            List.of(new IdMapping.Range(0, 0, 1), new IdMapping.Range(1, 1, UidReserve.SIZE - 1));
    private static final IdMapping SAME = new IdMapping(SAME_RANGES, SAME_RANGES);

    static Rights root(long hostBase) {
        return new Rights(false, hostBase);
    }

    /**
     * What the sandbox's user namespace maps to its parent, for the config. Rootless it maps every id to itself, in the
     * two ranges that the parent has (the user, its subordinates): the kernel refuses one that spans both.
     */
    IdMapping namespace() {
        return rootless ? SAME : IdMapping.of(hostBase, UidReserve.SIZE);
    }

    /** What idmapped mounts show; an ordinary user cannot make them. */
    Optional<IdMapping> idmap() {
        return rootless ? Optional.empty() : Optional.of(namespace());
    }

    /** The namespace that the launcher enters first. */
    Optional<IdMapping> launcher() {
        return rootless ? Optional.of(IdMapping.SUBORDINATE) : Optional.empty();
    }
}
