package dev.cortex.drivers.launch;

import java.util.List;
import java.util.Optional;

/**
 * The answer of stop.
 *
 * @param killed processes that were alive when the killing began
 * @param counters of the control groups, read before they were removed
 * @param remaining what still exists after looking again; empty is success
 */
public record Stopped(int killed, Optional<Counters> counters, List<Remainder> remaining) {

    public record Counters(long oomKills, long memoryPeakBytes, long pidsRefused) {}

    /** @param kind process, cgroup, state, bundle, socket or pid_file */
    public record Remainder(String kind, String name, Optional<String> reason) {
        @Override
        public String toString() {
            return kind + " " + name + reason.map(words -> " (" + words + ")").orElse("");
        }
    }
}
