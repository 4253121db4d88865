package dev.cortex.drivers.oci;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The list of system calls that a sandbox may make; kept and tested beside the launcher, copied here by the build. */
final class SeccompProfile {
    private static final String NAME = "seccomp-default.json";

    private SeccompProfile() {}

    /** Read once, at the first start. */
    static JsonNode standard() {
        return Loaded.STANDARD;
    }

    private static final class Loaded {
        static final JsonNode STANDARD = load();
    }

    private static JsonNode load() {
        try (InputStream list = SeccompProfile.class.getResourceAsStream(NAME)) {
            if (list == null) {
                throw new IllegalStateException(NAME + " was not built into this program");
            }
            return JsonMapper.shared().readTree(list.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
