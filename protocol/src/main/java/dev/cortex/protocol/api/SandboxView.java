package dev.cortex.protocol.api;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A sandbox as every surface shows it.
 *
 * @param state created, running, paused, stopped or error
 * @param reason why it is in that state, in words; empty where there is nothing to say
 * @param driver such as {@code oci} or {@code process}
 * @param runtime the program beneath the driver, such as {@code crun}: chosen when the sandbox was made, and kept over its
 *     starts; empty where there is none
 * @param image as it was asked for
 * @param workdir the working directory inside
 * @param removeOnExit made by {@code run}: the record goes when its primary session ends
 * @param primary the primary session's id, empty without one
 * @param rights what its sessions may be and call
 * @param mounts folders of the machine that it shows live
 * @param workspace the folder that it has a copy of
 * @param egress what it may reach outside
 * @param lifetime how long it lives by itself
 */
public record SandboxView(
        String id,
        String name,
        String state,
        String reason,
        String driver,
        String runtime,
        String image,
        String imageDigest,
        String user,
        String workdir,
        LimitsView limits,
        Map<String, String> labels,
        boolean removeOnExit,
        String primary,
        Instant createdAt,
        Optional<Instant> startedAt,
        Optional<Instant> stoppedAt,
        Optional<UsageView> usage,
        Optional<DiskView> disk,
        Rights rights,
        List<LiveMount> mounts,
        Optional<Workspace> workspace,
        Egress egress,
        Lifetime lifetime) {

    /** The limits in force; 0 where none is. */
    public record LimitsView(long memoryBytes, double cpus, long processes, long diskBytes) {}

    /** What the neuron reports, where it could be asked. */
    public record UsageView(
            long memoryBytes,
            long processes,
            long sessionsRunning,
            long sessionsStarted,
            long uptimeMs,
            String neuron) {}

    /** Where the disk lies on the host, and what it takes there (only in {@code inspect}). */
    public record DiskView(String path, long bytes, boolean shifted) {}
}
