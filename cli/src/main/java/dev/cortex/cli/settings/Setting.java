package dev.cortex.cli.settings;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One setting that a client may bring along in a request.
 *
 * @param key in files, dotted
 * @param flag on the command line; empty where what flags say is added to it
 * @param variables of the environment, the first that is set counts
 * @param openToProjects whether a project file may set it before its owner trusted that file
 * @param usual what holds when nobody sets it, in words
 */
public record Setting(String key, String flag, List<String> variables, boolean openToProjects, String usual) {
    private static final List<Setting> ALL = List.of(
            new Setting("driver", "driver", List.of("CORTEX_DRIVER", "CORTEX_MODE"), false, "auto"),
            new Setting("runtime", "runtime", List.of("CORTEX_RUNTIME"), false, "the strongest that is ready"),
            new Setting("image", "image", List.of("CORTEX_IMAGE"), true, "host"),
            new Setting("limits.memory", "memory", List.of("CORTEX_MEMORY"), true, "2G"),
            new Setting("limits.cpus", "cpus", List.of("CORTEX_CPUS"), true, "all, in fair shares"),
            new Setting("limits.pids", "pids", List.of("CORTEX_PIDS"), true, "1024"),
            new Setting("limits.disk", "disk", List.of("CORTEX_DISK"), true, "10G"),
            new Setting("seccomp", "seccomp", List.of("CORTEX_SECCOMP"), false, "default"),
            new Setting("user", "user", List.of("CORTEX_USER"), false, "the image's, else agent"),
            new Setting("workdir", "workdir", List.of("CORTEX_WORKDIR"), false, "the image's, else the workspace"),
            new Setting("workspace", "workspace", List.of("CORTEX_WORKSPACE"), true, "none"),
            new Setting("egress.allow", "", List.of("CORTEX_ALLOW_HOST"), false, "nothing"));

    /** Keys of the environment that sessions get begin so. */
    static final String ENVIRONMENT = "env.";

    /** Keys that are the daemon's begin so: only the home's file may have them. */
    static final String DAEMON = "daemon.";

    /** What the daemon reads of the home's file. */
    static final List<String> DAEMON_KEYS = List.of(
            "daemon.port",
            "daemon.disk-pool",
            "daemon.log-size",
            "daemon.log-files",
            "daemon.log-age",
            "daemon.pool",
            "daemon.launchers");

    /** What other versions have and this one not yet. */
    static final List<String> NOT_YET = List.of("services", "mounts", "secrets");

    /** Every key that a person can set in the home's file. */
    public static String[] keys() {
        List<String> keys = new ArrayList<>();
        for (Setting setting : ALL) {
            keys.add(setting.key());
        }
        keys.addAll(DAEMON_KEYS);
        return keys.toArray(new String[0]);
    }

    public static List<Setting> all() {
        return ALL;
    }

    public static Optional<Setting> of(String key) {
        for (Setting setting : ALL) {
            if (setting.key().equals(key)) {
                return Optional.of(setting);
            }
        }
        return Optional.empty();
    }

    /** What a key of earlier versions is called now. */
    static Optional<String> retired(String key) {
        return switch (key) {
            case "mode" -> Optional.of("driver");
            case "memory" -> Optional.of("limits.memory");
            case "cpus", "vcpus", "limits.vcpus" -> Optional.of("limits.cpus");
            case "pids", "processes", "limits.processes" -> Optional.of("limits.pids");
            case "disk" -> Optional.of("limits.disk");
            default -> Optional.empty();
        };
    }
}
