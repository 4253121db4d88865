package dev.cortex.drivers.launch;

import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** Which image is taken into a home; the mirror of {@code ImportSpec} in {@code native/internal/launch/image.go}. */
public record ImportSpec(
        int version,
        String source,
        String layers,
        String staging,
        Optional<String> select,
        Optional<JsonNode> config) {}
