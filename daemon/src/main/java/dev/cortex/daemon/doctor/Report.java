package dev.cortex.daemon.doctor;

import dev.cortex.daemon.words.Envelope;
import dev.cortex.protocol.api.Daemon;
import dev.cortex.protocol.api.Prune;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * All that a doctor found.
 *
 * @param daemon absent when none runs in this home
 * @param orphans what exists under this home's names and no record knows
 * @param notes what works less well here, for people
 */
public record Report(
        Machine machine,
        Optional<DaemonState> daemon,
        Daemon.Readiness readiness,
        List<Prune.Orphan> orphans,
        List<String> notes,
        Capacity capacity) {
    public Report {
        orphans = List.copyOf(orphans);
        notes = List.copyOf(notes);
    }

    /** @param port on loopback; absent when only the socket is served */
    public record DaemonState(long pid, long uptimeMs, long memoryBytes, Optional<String> port) {}

    /** Whether a sandbox can be made without saying which driver. */
    public boolean ready() {
        return !readiness.auto().isEmpty();
    }

    /** The commands that only install packages, for what stands in the way of a driver that is not ready at all. */
    public List<String> fixes() {
        Set<String> served = readiness.drivers().stream()
                .filter(driver -> driver.missing().isEmpty())
                .map(Daemon.DriverReadiness::driver)
                .collect(Collectors.toCollection(HashSet::new));
        return readiness.drivers().stream()
                // Of runtimes that can stand for each other the first that can be installed is enough.
                .filter(driver ->
                        driver.missing().stream().anyMatch(Daemon.Missing::fixable) && served.add(driver.driver()))
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
