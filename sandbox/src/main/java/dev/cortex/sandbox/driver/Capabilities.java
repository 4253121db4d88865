package dev.cortex.sandbox.driver;

import java.util.Set;

/**
 * What a driver can do, as data. What is not named here is refused as UNSUPPORTED before anything happens.
 *
 * @param isolation in words for people, such as {@code none} or {@code namespaces, seccomp, cgroups}
 */
public record Capabilities(String isolation, Set<Capability> all) {
    public Capabilities {
        all = Set.copyOf(all);
    }

    public boolean has(Capability capability) {
        return all.contains(capability);
    }

    /** One thing that some drivers can do. */
    public enum Capability {
        /** Isolates what runs in it from the host. */
        ISOLATION,
        /** Roots other than the host's own. */
        IMAGES,
        /** Sessions as users other than the default one. */
        USERS,
        MEMORY_LIMIT,
        CPU_LIMIT,
        PROCESS_LIMIT,
        DISK_LIMIT,
        /** Sessions as root of the sandbox. */
        ROOT_SESSIONS,
        /** Lists of system calls other than the default one. */
        SECCOMP_PROFILES,
        /** Folders of the host, shown live. */
        LIVE_MOUNTS,
        /** Nothing gets out but by the perimeter. */
        EGRESS,
        PAUSE
    }
}
