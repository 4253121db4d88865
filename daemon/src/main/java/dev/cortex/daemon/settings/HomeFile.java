package dev.cortex.daemon.settings;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/**
 * The {@code config.yaml} of a home, as far as it concerns the daemon. What clients read of it is known by name here, so
 * that a key which nobody reads is found at once.
 *
 * @param daemon settings of the daemon, by their names without {@code daemon.}
 * @param problems unknown and retired keys by name, and what is no YAML
 */
public record HomeFile(Path path, Map<String, String> daemon, List<String> problems) {
    private static final int MOST_CHARACTERS = 1 << 20;

    private static final String DAEMON = "daemon";
    private static final Set<String> OF_DAEMON =
            Set.of("port", "disk-pool", "log-size", "log-files", "log-age", "pool", "launchers");

    /** Read by clients; what is in them they check. */
    private static final Set<String> OF_CLIENTS =
            Set.of("driver", "runtime", "image", "limits", "seccomp", "user", "workdir", "env");

    /** Keys of earlier days and what they are called now. */
    private static final Map<String, String> RETIRED = Map.of(
            "port", "daemon.port",
            "mode", "driver",
            "memory", "limits.memory",
            "cpus", "limits.cpus",
            "pids", "limits.pids",
            "disk", "limits.disk");

    public HomeFile {
        daemon = Map.copyOf(daemon);
        problems = List.copyOf(problems);
    }

    /** A setting of the daemon, such as {@code port}, as it is written. */
    public Optional<String> ofDaemon(String name) {
        return Optional.ofNullable(daemon.get(name));
    }

    /** A home without the file. */
    public static HomeFile absent(Path path) {
        return new HomeFile(path, Map.of(), List.of());
    }

    public static HomeFile read(Path path) {
        String text;
        try {
            text = Files.readString(path);
        } catch (NoSuchFileException e) {
            return absent(path);
        } catch (IOException e) {
            return broken(path, "cannot be read: " + e.getMessage());
        }
        return parse(path, text);
    }

    static HomeFile parse(Path path, String text) {
        Object root;
        try {
            root = new Load(LoadSettings.builder()
                            .setCodePointLimit(MOST_CHARACTERS)
                            .setAllowDuplicateKeys(false)
                            .build())
                    .loadFromString(text);
        } catch (YamlEngineException e) {
            return broken(
                    path,
                    "is no YAML: "
                            + String.valueOf(e.getMessage()).lines().findFirst().orElse(""));
        }
        if (root == null) {
            return absent(path);
        }
        if (!(root instanceof Map<?, ?> keys)) {
            return broken(path, "is no map of settings");
        }
        List<String> problems = new ArrayList<>();
        // Keys may be written dotted or nested, as `cortex config` and people do.
        Map<String, String> daemon = new HashMap<>();
        for (Map.Entry<?, ?> entry : keys.entrySet()) {
            String key = String.valueOf(entry.getKey());
            if (key.equals(DAEMON) && entry.getValue() instanceof Map<?, ?> nested) {
                nested.forEach((name, value) -> ofDaemon(path, String.valueOf(name), value, daemon, problems));
            } else if (key.startsWith(DAEMON + ".")) {
                ofDaemon(path, key.substring(DAEMON.length() + 1), entry.getValue(), daemon, problems);
            } else {
                checkKey(path, key, problems);
            }
        }
        return new HomeFile(path, daemon, problems);
    }

    private static void ofDaemon(
            Path path, String key, Object value, Map<String, String> daemon, List<String> problems) {
        if (OF_DAEMON.contains(key)) {
            daemon.putIfAbsent(key, String.valueOf(value));
        } else {
            problems.add(path + ": there is no setting 'daemon." + key + "'");
        }
    }

    private static void checkKey(Path path, String key, List<String> problems) {
        int dot = key.indexOf('.');
        String family = dot < 0 ? key : key.substring(0, dot);
        if (RETIRED.containsKey(key)) {
            problems.add(path + ": '" + key + "' is now '" + RETIRED.get(key) + "'");
        } else if (key.equals(DAEMON)) {
            problems.add(path + ": 'daemon' is no map of settings");
        } else if (!OF_CLIENTS.contains(family)) {
            problems.add(path + ": there is no setting '" + key + "'");
        }
    }

    private static HomeFile broken(Path path, String why) {
        return new HomeFile(path, Map.of(), List.of(path + " " + why));
    }
}
