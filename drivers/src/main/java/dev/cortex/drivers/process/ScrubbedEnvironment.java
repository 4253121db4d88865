package dev.cortex.drivers.process;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What a sandbox of the process driver gets of the daemon's environment. An allow list: a key or token, whatever its
 * name, is not on it.
 */
final class ScrubbedEnvironment {
    private static final Set<String> NAMES = Set.of("PATH", "LANG", "TZ", "TERM");
    private static final String LOCALE = "LC_";
    private static final String DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

    private ScrubbedEnvironment() {}

    /** {@code NAME=value}, sorted by name; HOME is the sandbox's own. */
    static List<String> of(Map<String, String> daemon, Path home) {
        Map<String, String> kept = new TreeMap<>();
        kept.put("PATH", DEFAULT_PATH);
        daemon.forEach((name, value) -> {
            if (NAMES.contains(name) || name.startsWith(LOCALE)) {
                kept.put(name, value);
            }
        });
        kept.put("HOME", home.toString());
        List<String> environment = new ArrayList<>();
        kept.forEach((name, value) -> environment.add(name + "=" + value));
        return List.copyOf(environment);
    }
}
