package dev.cortex.drivers.launch;

import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** What was taken; the mirror of {@code Imported} in {@code native/internal/launch/image.go}. */
public record Imported(
        int version,
        String kind,
        String digest,
        Optional<String> manifest,
        List<String> names,
        JsonNode config,
        List<Layer> layers) {
    /** One layer in its folder. */
    public record Layer(
            String chain, String diffId, long bytes, long entries, long skippedDevices, Optional<Boolean> reused) {}
}
