package dev.cortex.protocol.api;

import java.util.Map;
import java.util.Optional;

/**
 * Asks for a sandbox. Settings are resolved on the client's side and travel here; what is absent gets the default.
 *
 * @param name 1 to 63 characters of a-z, 0-9 and '-'; absent: made up, and the disk then goes with the record
 * @param driver {@code auto} (default), {@code oci}, {@code process}
 * @param runtime the program beneath {@code oci}; absent: the strongest that passes its probe
 * @param image {@code host} (default), a folder or a tar archive on the daemon's machine
 * @param env base environment of its sessions, over the image's
 * @param start false leaves it {@code created}
 * @param removeOnExit the record goes when {@code primary} ends
 * @param primary the first session, started as soon as the sandbox is ready
 * @param allowInsecureProcess the caller's CORTEX_ALLOW_INSECURE_PROCESS=1
 * @param wipe delete a kept disk of that name first
 */
public record CreateSandbox(
        Optional<String> name,
        Optional<String> driver,
        Optional<String> runtime,
        Optional<String> image,
        Optional<Long> memoryBytes,
        Optional<Double> cpus,
        Optional<Long> processes,
        Optional<Long> diskBytes,
        Map<String, String> env,
        Map<String, String> labels,
        Optional<String> user,
        Optional<String> workdir,
        Optional<Boolean> start,
        Optional<Boolean> removeOnExit,
        Optional<StartSession> primary,
        Optional<Boolean> allowInsecureProcess,
        Optional<Boolean> wipe) {

    public CreateSandbox {
        env = Map.copyOf(env);
        labels = Map.copyOf(labels);
    }

    /** All defaults; {@code with…} what differs. */
    public static CreateSandbox defaults() {
        return new CreateSandbox(
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Map.of(),
                Map.of(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }

    public CreateSandbox named(String newName) {
        return new CreateSandbox(
                Optional.of(newName),
                driver,
                runtime,
                image,
                memoryBytes,
                cpus,
                processes,
                diskBytes,
                env,
                labels,
                user,
                workdir,
                start,
                removeOnExit,
                primary,
                allowInsecureProcess,
                wipe);
    }

    public CreateSandbox on(String newDriver) {
        return new CreateSandbox(
                name,
                Optional.of(newDriver),
                runtime,
                image,
                memoryBytes,
                cpus,
                processes,
                diskBytes,
                env,
                labels,
                user,
                workdir,
                start,
                removeOnExit,
                primary,
                allowInsecureProcess,
                wipe);
    }

    public CreateSandbox from(String newImage) {
        return new CreateSandbox(
                name,
                driver,
                runtime,
                Optional.of(newImage),
                memoryBytes,
                cpus,
                processes,
                diskBytes,
                env,
                labels,
                user,
                workdir,
                start,
                removeOnExit,
                primary,
                allowInsecureProcess,
                wipe);
    }

    public CreateSandbox allowingInsecureProcess() {
        return new CreateSandbox(
                name,
                driver,
                runtime,
                image,
                memoryBytes,
                cpus,
                processes,
                diskBytes,
                env,
                labels,
                user,
                workdir,
                start,
                removeOnExit,
                primary,
                Optional.of(true),
                wipe);
    }

    public CreateSandbox running(StartSession newPrimary) {
        return new CreateSandbox(
                name,
                driver,
                runtime,
                image,
                memoryBytes,
                cpus,
                processes,
                diskBytes,
                env,
                labels,
                user,
                workdir,
                start,
                Optional.of(true),
                Optional.of(newPrimary),
                allowInsecureProcess,
                wipe);
    }
}
