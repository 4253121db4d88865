package dev.cortex.protocol.api;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Records about the daemon and the machine. */
public final class Daemon {
    private Daemon() {}

    public record Health(String status, String version, String home, long pid, long uptimeMs, int sandboxes) {}

    /** @param fixable whether a client may run {@code fix} for the user */
    public record Missing(String what, String fix, boolean fixable) {}

    /** @param state ready, slow or missing */
    public record DriverReadiness(
            String driver, String runtime, String state, String note, boolean chosen, List<Missing> missing) {}

    public record Readiness(List<DriverReadiness> drivers, String auto) {}

    /** One event of the stream: what happened to which sandbox. */
    public record Event(
            long sequence, Instant at, String kind, String sandbox, Optional<String> session, String detail) {}

    public record Nothing() {}
}
