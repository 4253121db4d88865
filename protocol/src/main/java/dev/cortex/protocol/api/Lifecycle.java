package dev.cortex.protocol.api;

import java.util.List;
import java.util.Optional;

/** Small records of the sandbox operations. */
public final class Lifecycle {
    private Lifecycle() {}

    /** @param graceMs between TERM and KILL of its sessions; absent: 2,000 */
    public record Stop(Optional<Long> graceMs) {}

    /** @param next continue behind this name; absent at the end */
    public record SandboxList(List<SandboxView> sandboxes, List<KeptDisk> disks, Optional<String> next) {}

    /** A disk whose sandbox has been removed; it comes back with its name. */
    public record KeptDisk(String name, String driver, String image, long bytes) {}

    public record SessionList(List<SessionView> sessions) {}

    /** @param signal a number, or a name such as TERM; @param all every descendant, not the foreground group alone */
    public record Signal(String signal, Optional<Boolean> all) {}

    public record Signaled(int processes) {}

    /** What could not be removed; empty when everything is gone. */
    public record Removed(String id, String name, boolean diskKept, List<String> left) {}
}
