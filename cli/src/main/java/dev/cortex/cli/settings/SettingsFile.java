package dev.cortex.cli.settings;

import dev.cortex.cli.host.HostText;
import dev.cortex.protocol.error.Nearest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A settings file as it was read: its keys flattened, with everything that is wrong with it.
 *
 * @param values by dotted key, in the file's order
 * @param problems a line each, empty when the file is good
 */
public record SettingsFile(Path path, byte[] content, Map<String, String> values, List<String> problems) {
    /** A project's file may be hostile: longer ones are no settings. */
    private static final int MOST_BYTES = 64 << 10;

    public SettingsFile {
        values = new LinkedHashMap<>(values);
        problems = List.copyOf(problems);
    }

    /** Whose file it is decides what it may say. */
    public enum Owner {
        PROJECT,
        HOME
    }

    /** Empty where there is no such file. */
    public static Optional<SettingsFile> read(Path path, Owner owner) {
        if (!Files.exists(path)) {
            return Optional.empty();
        }
        byte[] content;
        try (var stream = Files.newInputStream(path)) {
            content = stream.readNBytes(MOST_BYTES + 1);
        } catch (IOException e) {
            return Optional.of(broken(path, "cannot be read: " + e.getMessage()));
        }
        if (content.length > MOST_BYTES) {
            return Optional.of(broken(path, "is longer than " + MOST_BYTES + " bytes"));
        }
        return Optional.of(parse(path, content, owner));
    }

    private static SettingsFile broken(Path path, String problem) {
        return new SettingsFile(path, new byte[0], Map.of(), List.of(problem));
    }

    static SettingsFile parse(Path path, byte[] content, Owner owner) {
        List<String> problems = new ArrayList<>();
        Map<String, String> values = new LinkedHashMap<>();
        try {
            values.putAll(YamlSettings.flatten(new String(content, StandardCharsets.UTF_8)));
        } catch (YamlSettings.NotSettingsException e) {
            problems.add(e.words());
        }
        for (Map.Entry<String, String> entry : values.entrySet()) {
            check(entry.getKey(), entry.getValue(), owner, problems);
        }
        return new SettingsFile(path, content, values, problems);
    }

    private static void check(String key, String value, Owner owner, List<String> problems) {
        if (key.startsWith(Setting.DAEMON) || key.equals("daemon")) {
            if (owner == Owner.PROJECT) {
                problems.add("'" + key + "' is the daemon's: only the home's config.yaml may set it");
            } else if (!Setting.DAEMON_KEYS.contains(key)) {
                problems.add(unknown(key));
            }
            return;
        }
        if (key.startsWith(Setting.ENVIRONMENT)) {
            return;
        }
        if (Setting.of(key).isPresent()) {
            Values.problem(key, value).ifPresent(problems::add);
            return;
        }
        String top = key.indexOf('.') < 0 ? key : key.substring(0, key.indexOf('.'));
        Optional<String> now = Setting.retired(key);
        if (now.isPresent()) {
            problems.add("'" + key + "' is now called '" + now.get() + "'");
        } else if (Setting.NOT_YET.contains(top)) {
            problems.add("'" + top + "' is not in this version yet");
        } else {
            problems.add(unknown(key));
        }
    }

    static String unknown(String key) {
        List<String> keys = new ArrayList<>();
        for (Setting setting : Setting.all()) {
            keys.add(setting.key());
        }
        keys.addAll(Setting.DAEMON_KEYS);
        Optional<String> nearest = Nearest.of(key, keys);
        return "'" + key + "' is unknown" + (nearest.isPresent() ? ", did you mean '" + nearest.get() + "'" : "");
    }

    /** Keys that a project's file may have only once it is trusted. */
    List<String> guarded() {
        List<String> guarded = new ArrayList<>();
        for (String key : values.keySet()) {
            Optional<Setting> setting = Setting.of(key);
            if (key.startsWith(Setting.ENVIRONMENT)
                    || (setting.isPresent() && !setting.get().openToProjects())) {
                guarded.add(key);
            }
        }
        return guarded;
    }

    String shown() {
        return HostText.text(path);
    }
}
