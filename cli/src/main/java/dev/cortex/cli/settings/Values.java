package dev.cortex.cli.settings;

import dev.cortex.cli.command.UsageException;
import dev.cortex.cli.json.Json;
import dev.cortex.cli.terminal.Units;
import java.util.List;
import java.util.Optional;

/** What a setting's text means. */
final class Values {
    private static final List<String> SECCOMP = List.of("default", "nested", "debug");

    private Values() {}

    /** What is wrong with it, in words. */
    static Optional<String> problem(String key, String value) {
        try {
            put(Json.object(), key, "'" + key + "'", value);
            return Optional.empty();
        } catch (UsageException e) {
            return Optional.of(e.text() + "; " + e.remedy());
        }
    }

    /**
     * Puts it into the request that makes a sandbox.
     *
     * @param shown how messages name it
     */
    static void put(Json.Building request, String key, String shown, String value) throws UsageException {
        switch (key) {
            case "driver" -> putDriver(request, value);
            case "seccomp" -> {
                if (!SECCOMP.contains(value)) {
                    throw new UsageException(
                            shown + " is '" + value + "', which is no list of system calls",
                            "choose: default, nested, debug        (cortex help rights)");
                }
                request.put("seccomp", value);
            }
            case "limits.memory" -> request.put("memory_bytes", Units.bytes(shown, value));
            case "limits.disk" -> request.put("disk_bytes", Units.bytes(shown, value));
            case "limits.cpus" -> request.put("cpus", Json.of(Units.count(shown, value)));
            case "workspace" ->
                request.put(key, Json.object().put("folder", value).build());
            case "limits.pids" -> request.put("processes", Units.whole(shown, value, 1));
            // Together with what flags add to it.
            case "egress.allow" -> requireSome(shown, value);
            default -> {
                requireSome(shown, value);
                request.put(key, value);
            }
        }
    }

    private static void requireSome(String shown, String value) throws UsageException {
        if (value.isEmpty()) {
            throw new UsageException(shown + " is empty", "leave it out, or give it a value");
        }
    }

    /** {@code oci/crun} is driver and runtime in one. */
    private static void putDriver(Json.Building request, String value) throws UsageException {
        int slash = value.indexOf('/');
        String driver = slash < 0 ? value : value.substring(0, slash);
        switch (driver) {
            case "auto", "oci", "process" -> request.put("driver", driver);
            default ->
                throw new UsageException(
                        "there is no driver '" + value + "'", "choose: auto, oci, oci/RUNTIME, process");
        }
        if (slash >= 0) {
            request.put("runtime", value.substring(slash + 1));
        }
    }
}
