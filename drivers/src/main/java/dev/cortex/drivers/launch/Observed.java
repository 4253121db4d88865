package dev.cortex.drivers.launch;

import dev.cortex.sandbox.driver.Observation;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** The answer of observe, by key. */
public record Observed(Map<String, Sight> observations) {
    /** What a sandbox is; unknown when the launcher did not speak of it. */
    public Observation of(String key) {
        Sight sight = observations.get(key);
        return sight == null ? Observation.UNKNOWN : sight.observation();
    }

    /** @param reason for absent and unknown */
    public record Sight(String state, Optional<String> reason) {
        Observation observation() {
            return switch (state.toLowerCase(Locale.ROOT)) {
                case "running" -> Observation.RUNNING;
                case "paused" -> Observation.PAUSED;
                case "absent" -> Observation.ABSENT;
                default -> Observation.UNKNOWN;
            };
        }
    }
}
