package dev.cortex.drivers.oci;

import dev.cortex.sandbox.terms.Rights.Seccomp;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.EnumMap;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The lists of system calls that a sandbox may make; kept and tested beside the launcher, copied here by the build.
 * {@code docs/seccomp.md} says what each lets through and why.
 */
final class SeccompProfile {
    private SeccompProfile() {}

    /** Read once, at the first start. */
    static JsonNode of(Seccomp profile) {
        return Loaded.ALL.get(profile);
    }

    private static final class Loaded {
        static final Map<Seccomp, JsonNode> ALL = load();
    }

    private static Map<Seccomp, JsonNode> load() {
        Map<Seccomp, JsonNode> all = new EnumMap<>(Seccomp.class);
        for (Seccomp profile : Seccomp.values()) {
            all.put(profile, read("seccomp-" + profile.word() + ".json"));
        }
        return all;
    }

    private static JsonNode read(String name) {
        try (InputStream list = SeccompProfile.class.getResourceAsStream(name)) {
            if (list == null) {
                throw new IllegalStateException(name + " was not built into this program");
            }
            return JsonMapper.shared().readTree(list.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
