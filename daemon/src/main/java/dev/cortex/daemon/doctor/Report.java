package dev.cortex.daemon.doctor;

import dev.cortex.daemon.words.Envelope;
import dev.cortex.protocol.api.Daemon;
import java.util.List;
import java.util.Optional;

/**
 * All that a doctor found.
 *
 * @param daemon absent when none runs in this home
 * @param notes what works less well here, for people
 */
public record Report(Machine machine, Optional<DaemonState> daemon, Daemon.Readiness readiness, List<String> notes) {
    public Report {
        notes = List.copyOf(notes);
    }

    /** @param port on loopback; absent when only the socket is served */
    public record DaemonState(long pid, long uptimeMs, long memoryBytes, Optional<String> port) {}

    /** Whether a sandbox can be made without saying which driver. */
    public boolean ready() {
        return !readiness.auto().isEmpty();
    }

    /** The commands that only install packages, for what stands in the way of isolation. */
    public List<String> fixes() {
        return readiness.drivers().stream()
                .flatMap(driver -> driver.missing().stream())
                .filter(Daemon.Missing::fixable)
                .map(Daemon.Missing::fix)
                .distinct()
                .toList();
    }

    /** In the envelope of every command's {@code --json}. */
    public String json() {
        return Envelope.of("doctor", this);
    }
}
