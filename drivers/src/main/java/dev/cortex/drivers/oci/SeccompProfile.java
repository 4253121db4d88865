package dev.cortex.drivers.oci;

import static java.util.Objects.requireNonNull;

import dev.cortex.sandbox.terms.Rights.Seccomp;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.EnumMap;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The lists of system calls that a sandbox may make; kept and tested beside the launcher, copied here by the build.
 * {@code docs/seccomp.md} says what each lets through and why.
 */
final class SeccompProfile {
    private SeccompProfile() {}

    /** EPERM, the one answer that every runtime can give. */
    private static final int NOT_PERMITTED = 1;

    /** Read once, at the first start. */
    static JsonNode of(Seccomp profile, OciRuntime runtime) {
        JsonNode list = requireNonNull(Loaded.ALL.get(profile), profile::word);
        return runtime.ownKernel() ? refusalsOf(list) : list;
    }

    /**
     * For a runtime with a kernel of its own. gVisor answers EPERM to all that a list refuses, whatever the list says, and
     * programs give up on that where they fall back on ENOSYS: with clone3, threads could not be made. So there what is
     * refused by name stays so, and the rest is that kernel's to know or not.
     */
    private static JsonNode refusalsOf(JsonNode list) {
        ObjectNode own = JsonMapper.shared().createObjectNode();
        own.put("defaultAction", "SCMP_ACT_ALLOW");
        ArrayNode rules = own.putArray("syscalls");
        for (JsonNode rule : list.path("syscalls")) {
            if (rule.path("errnoRet").asInt(0) == NOT_PERMITTED) {
                rules.add(rule);
            }
        }
        return own;
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
