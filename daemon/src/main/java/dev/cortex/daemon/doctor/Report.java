package dev.cortex.daemon.doctor;

import dev.cortex.daemon.words.Envelope;
import dev.cortex.protocol.api.Daemon;
import dev.cortex.protocol.api.Prune;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
        Map<String, List<Daemon.DriverReadiness>> byDriver = readiness.drivers().stream()
                .collect(
                        Collectors.groupingBy(Daemon.DriverReadiness::driver, LinkedHashMap::new, Collectors.toList()));
        return byDriver.values().stream()
                .filter(runtimes ->
                        runtimes.stream().noneMatch(driver -> driver.missing().isEmpty()))
                // Of runtimes that can stand for each other one is enough: the first of those that packages help most.
                .flatMap(runtimes -> runtimes.stream()
                        .filter(driver -> driver.missing().stream().anyMatch(Daemon.Missing::fixable))
                        .min(Comparator.comparingLong(Report::beyondPackages))
                        .stream())
                .flatMap(driver -> driver.missing().stream())
                .filter(Daemon.Missing::fixable)
                .map(Daemon.Missing::fix)
                .distinct()
                .toList();
    }

    private static long beyondPackages(Daemon.DriverReadiness driver) {
        return driver.missing().stream().filter(missing -> !missing.fixable()).count();
    }

    /** In the envelope of every command's {@code --json}. */
    public String json() {
        return Envelope.of("doctor", this);
    }
}
