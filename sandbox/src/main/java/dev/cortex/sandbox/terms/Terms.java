package dev.cortex.sandbox.terms;

import java.util.List;
import java.util.Optional;

/** All terms of a sandbox. */
public record Terms(
        Rights rights, List<LiveMount> mounts, Optional<Workspace> workspace, Egress egress, Lifetime lifetime) {
    public static final Terms DEFAULT =
            new Terms(Rights.DEFAULT, List.of(), Optional.empty(), Egress.NOTHING, Lifetime.ENDLESS);

    public Terms {
        mounts = List.copyOf(mounts);
    }

    public Terms with(Rights newRights) {
        return new Terms(newRights, mounts, workspace, egress, lifetime);
    }

    public Terms with(List<LiveMount> newMounts) {
        return new Terms(rights, newMounts, workspace, egress, lifetime);
    }

    public Terms with(Workspace newWorkspace) {
        return new Terms(rights, mounts, Optional.of(newWorkspace), egress, lifetime);
    }

    public Terms with(Egress newEgress) {
        return new Terms(rights, mounts, workspace, newEgress, lifetime);
    }

    public Terms with(Lifetime newLifetime) {
        return new Terms(rights, mounts, workspace, egress, newLifetime);
    }
}
