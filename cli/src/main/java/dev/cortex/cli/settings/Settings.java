package dev.cortex.cli.settings;

import dev.cortex.cli.command.Invocation;
import dev.cortex.cli.command.UsageException;
import dev.cortex.cli.command.Word;
import dev.cortex.cli.host.HostText;
import dev.cortex.cli.json.Json;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.protocol.home.Home;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** The settings of one command: flag before variable before project file before home file before default. */
public final class Settings {
    private final Map<String, Resolved> values = new LinkedHashMap<>();

    private Settings() {}

    /**
     * A value and who set it.
     *
     * @param source for people: a flag, a variable, a file's path, or {@code default}
     * @param set whether anybody set it; what nobody set is the daemon's to choose
     * @param base the folder in which a relative path of it begins
     */
    public record Resolved(String value, String source, boolean set, Path base) {
        /** Whether a project's file, which may be hostile, says so. */
        boolean ofProject() {
            return source.endsWith("/.cortex/config.yaml");
        }
    }

    /** Where settings can come from besides the command line. */
    public record Surroundings(UnaryOperator<String> variables, Path folder, Home home) {
        public static Surroundings current(Home home) {
            return new Surroundings(HostText::variable, Path.of("").toAbsolutePath(), home);
        }

        public Optional<SettingsFile> projectFile() {
            Optional<Path> path = Project.file(folder);
            return path.isPresent() ? SettingsFile.read(path.get(), SettingsFile.Owner.PROJECT) : Optional.empty();
        }

        public Optional<SettingsFile> homeFile() {
            return SettingsFile.read(home.settings(), SettingsFile.Owner.HOME);
        }
    }

    /**
     * @throws CortexException INVALID_ARGUMENT with every problem of the files; DENIED when a project's file sets what it
     *     may not before it is trusted
     */
    public static Settings resolve(Invocation invocation, Surroundings surroundings) {
        Optional<SettingsFile> project = surroundings.projectFile();
        Optional<SettingsFile> home = surroundings.homeFile();
        requireGood(project, home);
        project.ifPresent(file -> requireTrusted(file, surroundings));
        Settings settings = new Settings();
        for (Setting setting : Setting.all()) {
            settings.values.put(setting.key(), settings.resolve(setting, invocation, surroundings, project, home));
        }
        home.ifPresent(file -> settings.addEnvironment(file, surroundings.home().folder()));
        project.ifPresent(file -> settings.addEnvironment(file, Project.folder(file.path())));
        home.ifPresent(file -> settings.addDaemon(file));
        return settings;
    }

    private Resolved resolve(
            Setting setting,
            Invocation invocation,
            Surroundings surroundings,
            Optional<SettingsFile> project,
            Optional<SettingsFile> home) {
        Optional<Word> flag = invocation.value(setting.flag());
        if (flag.isPresent()) {
            return new Resolved(flag.get().text(), "--" + setting.flag(), true, surroundings.folder());
        }
        for (String variable : setting.variables()) {
            String value = surroundings.variables().apply(variable);
            if (!value.isEmpty()) {
                return new Resolved(value, variable, true, surroundings.folder());
            }
        }
        if (project.isPresent() && project.get().values().containsKey(setting.key())) {
            SettingsFile file = project.get();
            return new Resolved(
                    file.values().getOrDefault(setting.key(), ""), file.shown(), true, Project.folder(file.path()));
        }
        if (home.isPresent() && home.get().values().containsKey(setting.key())) {
            SettingsFile file = home.get();
            return new Resolved(
                    file.values().getOrDefault(setting.key(), ""),
                    file.shown(),
                    true,
                    surroundings.home().folder());
        }
        return new Resolved(setting.usual(), "default", false, surroundings.folder());
    }

    private void addEnvironment(SettingsFile file, Path base) {
        for (Map.Entry<String, String> entry : file.values().entrySet()) {
            if (entry.getKey().startsWith(Setting.ENVIRONMENT)) {
                values.put(entry.getKey(), new Resolved(entry.getValue(), file.shown(), true, base));
            }
        }
    }

    private void addDaemon(SettingsFile file) {
        for (String key : Setting.DAEMON_KEYS) {
            if (file.values().containsKey(key)) {
                values.put(key, new Resolved(file.values().getOrDefault(key, ""), file.shown(), true, file.path()));
            }
        }
    }

    private static void requireGood(Optional<SettingsFile> project, Optional<SettingsFile> home) {
        List<String> problems = new ArrayList<>();
        project.ifPresent(file -> file.problems().forEach(problem -> problems.add(file.shown() + ": " + problem)));
        home.ifPresent(file -> file.problems().forEach(problem -> problems.add(file.shown() + ": " + problem)));
        if (!problems.isEmpty()) {
            throw CortexException.of(
                    ErrorCode.INVALID_ARGUMENT,
                    String.join("\n", problems),
                    "correct the file; every setting: cortex help settings");
        }
    }

    private static void requireTrusted(SettingsFile file, Surroundings surroundings) {
        List<String> guarded = file.guarded();
        if (!guarded.isEmpty() && !new Trust(surroundings.home().folder()).covers(file)) {
            throw CortexException.of(
                    ErrorCode.DENIED,
                    file.shown() + " sets " + String.join(", ", guarded) + ", and is not trusted as it is now",
                    "read it, then: cortex config trust");
        }
    }

    public Map<String, Resolved> values() {
        return values;
    }

    /** Puts what somebody set into the request that makes a sandbox; the rest is the daemon's to choose. */
    public void apply(Json.Building request, boolean withSessionSettings) throws UsageException {
        for (Setting setting : Setting.all()) {
            Resolved resolved = values.getOrDefault(setting.key(), new Resolved("", "", false, Path.of("/")));
            if (setting.key().equals("seccomp")) {
                continue;
            }
            boolean ofSession = setting.key().equals("user") || setting.key().equals("workdir");
            if (!resolved.set() || (ofSession && !withSessionSettings)) {
                continue;
            }
            String value = switch (setting.key()) {
                case "image" -> image(resolved);
                case "workspace" -> workspace(resolved);
                default -> resolved.value();
            };
            Values.put(request, setting.key(), shown(setting, resolved), value);
        }
    }

    /**
     * What sessions may be and call; absent where nobody says anything.
     *
     * @param root whether they may be root, if that is said
     */
    public Json rights(Optional<Boolean> root) throws UsageException {
        Json.Building rights = Json.object();
        if (root.isPresent()) {
            rights.put("root", root.get());
        }
        Resolved seccomp = values.getOrDefault("seccomp", new Resolved("", "", false, Path.of("/")));
        if (seccomp.set()) {
            Values.put(rights, "seccomp", seccomp.source(), seccomp.value());
        }
        return rights.isEmpty() ? Json.ABSENT : rights.build();
    }

    /** The base environment: what files set, then what flags add. */
    public Json environment(List<Word> pairs) throws UsageException {
        Json.Building environment = Json.object();
        for (Map.Entry<String, Resolved> entry : values.entrySet()) {
            if (entry.getKey().startsWith(Setting.ENVIRONMENT)) {
                environment.put(
                        entry.getKey().substring(Setting.ENVIRONMENT.length()),
                        entry.getValue().value());
            }
        }
        for (Word pair : pairs) {
            int equals = pair.text().indexOf('=');
            if (!pair.isText()) {
                throw new UsageException(
                        "the environment of a sandbox is text, and '" + pair.text() + "' is not UTF-8",
                        "give it to the session: cortex exec --env");
            }
            environment.put(pair.text().substring(0, equals), pair.text().substring(equals + 1));
        }
        return environment.build();
    }

    private static String shown(Setting setting, Resolved resolved) {
        return resolved.source().startsWith("/") ? setting.key() + " in " + resolved.source() : resolved.source();
    }

    /** A project's file, which may come from anybody, can copy nothing but the project. */
    private String workspace(Resolved resolved) {
        Path folder = resolved.base().resolve(HostText.path(resolved.value())).normalize();
        if (resolved.ofProject() && !folder.startsWith(resolved.base())) {
            throw CortexException.of(
                    ErrorCode.DENIED,
                    resolved.source() + " asks for a workspace outside of its project: " + HostText.text(folder),
                    "if that is what you want: --workspace " + HostText.text(folder));
        }
        return HostText.text(folder);
    }

    /**
     * A path, which begins with / or with a dot, becomes absolute here: the daemon has another working directory. All
     * else is a name, whatever lies in this folder.
     */
    private static String image(Resolved resolved) {
        String value = resolved.value();
        if (value.startsWith("/") || value.startsWith(".")) {
            return HostText.text(resolved.base().resolve(HostText.path(value)).normalize());
        }
        return value;
    }
}
