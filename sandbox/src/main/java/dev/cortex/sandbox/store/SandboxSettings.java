package dev.cortex.sandbox.store;

import dev.cortex.sandbox.Limits;
import dev.cortex.sandbox.terms.Terms;
import java.util.Map;

/**
 * What a sandbox was made with. Only its egress can be
 * replaced.
 *
 * @param runtime the program beneath the driver, empty where there is none
 * @param image as it was asked for
 * @param digest of the image, empty for images without one
 * @param limits in force: what the driver cannot hold and nobody asked for is 0
 * @param environment base environment of its sessions
 * @param user of its sessions, empty: the driver's default user
 * @param workdir of its sessions, absolute, as it is called inside
 * @param removeOnExit the record goes when the primary session ends
 * @param disk the name of its disk's row
 * @param createKey idempotency key of the create that made it, empty without one
 */
public record SandboxSettings(
        String driver,
        String runtime,
        String image,
        String digest,
        Limits limits,
        Map<String, String> environment,
        Map<String, String> labels,
        String user,
        String workdir,
        boolean removeOnExit,
        String disk,
        String createKey,
        Terms terms) {

    public SandboxSettings {
        environment = Map.copyOf(environment);
        labels = Map.copyOf(labels);
    }

    public SandboxSettings in(String newWorkdir) {
        return new SandboxSettings(
                driver,
                runtime,
                image,
                digest,
                limits,
                environment,
                labels,
                user,
                newWorkdir,
                removeOnExit,
                disk,
                createKey,
                terms);
    }

    public SandboxSettings limitedTo(long diskBytes) {
        return new SandboxSettings(
                driver,
                runtime,
                image,
                digest,
                new Limits(limits.memoryBytes(), limits.cpus(), limits.processes(), diskBytes),
                environment,
                labels,
                user,
                workdir,
                removeOnExit,
                disk,
                createKey,
                terms);
    }

    public SandboxSettings with(Terms newTerms) {
        return new SandboxSettings(
                driver,
                runtime,
                image,
                digest,
                limits,
                environment,
                labels,
                user,
                workdir,
                removeOnExit,
                disk,
                createKey,
                newTerms);
    }
}
