package dev.cortex.cli.verb;

import dev.cortex.cli.command.Invocation;
import dev.cortex.cli.command.UsageException;
import dev.cortex.cli.command.Word;
import dev.cortex.cli.json.Json;
import dev.cortex.cli.session.Environment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** What flags and the file of {@code --config} say about a plain root file system; a flag goes before the file. */
final class RootConfig {
    private final Invocation invocation;

    RootConfig(Invocation invocation) {
        this.invocation = invocation;
    }

    /** As the record of the operation; absent where nothing is said. */
    Json ofRequest(Optional<Json> file) throws UsageException {
        Json of = settings(file);
        Json.Building config = Json.object();
        Json.Building environment = Json.object();
        environment(of).forEach(environment::put);
        config.put("env", environment.build())
                .put("workdir", text("workdir", of, "WorkingDir"))
                .put("user", text("user", of, "User"))
                .put("entrypoint", Json.of(words("entrypoint", of, "Entrypoint")))
                .put("command", Json.of(words("cmd", of, "Cmd")))
                .put("labels", labels(of));
        return said(file) ? config.build() : Json.ABSENT;
    }

    /** As the object of an OCI configuration; absent where nothing is said. */
    Json ofUpload(Optional<Json> file) throws UsageException {
        Json of = settings(file);
        List<Json> environment = new ArrayList<>();
        environment(of).forEach((key, value) -> environment.add(Json.of(key + "=" + value)));
        Json.Building config = Json.object();
        config.put("Env", Json.of(environment))
                .put("WorkingDir", text("workdir", of, "WorkingDir"))
                .put("User", text("user", of, "User"))
                .put("Entrypoint", Json.of(words("entrypoint", of, "Entrypoint")))
                .put("Cmd", Json.of(words("cmd", of, "Cmd")))
                .put("Labels", labels(of));
        return said(file) ? config.build() : Json.ABSENT;
    }

    private boolean said(Optional<Json> file) {
        boolean said = file.isPresent();
        for (String flag : List.of("env", "workdir", "user", "entrypoint", "cmd", "label")) {
            said |= invocation.has(flag);
        }
        return said;
    }

    /** The inner object, of a whole configuration or of docker's. */
    private static Json settings(Optional<Json> file) {
        Json whole = file.orElse(Json.ABSENT);
        return whole.get("config").isPresent() ? whole.get("config") : whole;
    }

    private Map<String, String> environment(Json of) throws UsageException {
        Map<String, String> environment = new TreeMap<>();
        for (String pair : of.get("Env").texts()) {
            put(environment, pair);
        }
        for (Word pair : Environment.withValues(invocation.values("env"))) {
            put(environment, pair.text());
        }
        return environment;
    }

    private static void put(Map<String, String> environment, String pair) {
        int equals = pair.indexOf('=');
        if (equals > 0) {
            environment.put(pair.substring(0, equals), pair.substring(equals + 1));
        }
    }

    private Optional<String> text(String flag, Json of, String name) {
        Optional<String> given = invocation.text(flag);
        if (given.isPresent()) {
            return given;
        }
        String text = of.get(name).text();
        return text.isEmpty() ? Optional.empty() : Optional.of(text);
    }

    private List<Json> words(String flag, Json of, String name) throws UsageException {
        Optional<String> given = invocation.text(flag);
        return given.isPresent()
                ? CommandText.words(flag, given.get())
                : of.get(name).items();
    }

    private Json labels(Json of) throws UsageException {
        Json.Building labels = Json.object();
        of.get("Labels").members().forEach(labels::put);
        for (Word label : invocation.values("label")) {
            int equals = label.text().indexOf('=');
            if (equals <= 0) {
                throw new UsageException(
                        "--label '" + label.text() + "' has no name or value", "write: --label NAME=VALUE");
            }
            labels.put(label.text().substring(0, equals), label.text().substring(equals + 1));
        }
        return labels.build();
    }
}
