package dev.cortex.drivers.oci;

import dev.cortex.drivers.launch.IdMapping;
import java.util.Optional;

/**
 * As whom sandboxes are made, which decides how ids are mapped.
 *
 * @param hostBase the first host uid of the sandbox, 0 when rootless: then ids are those of the caller's namespace
 */
record Rights(boolean rootless, long hostBase) {
    static final Rights ROOTLESS = new Rights(true, 0);

    static Rights root(long hostBase) {
        return new Rights(false, hostBase);
    }

    /** What the sandbox's user namespace maps to its parent, for the config. */
    IdMapping namespace() {
        return IdMapping.of(hostBase, UidReserve.SIZE);
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
