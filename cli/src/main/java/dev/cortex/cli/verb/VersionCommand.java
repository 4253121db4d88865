package dev.cortex.cli.verb;

import dev.cortex.cli.http.Connection;
import dev.cortex.cli.http.Daemon;
import dev.cortex.cli.http.Request;
import dev.cortex.cli.json.Json;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.operation.Operations;
import java.util.Optional;

/** {@code cortex version}. Starts no daemon. */
final class VersionCommand implements Command {
    private final Context context;

    VersionCommand(Context context) {
        this.context = context;
    }

    @Override
    public int run() {
        String version = context.install().version();
        if (version.isEmpty()) {
            version = "unversioned";
        }
        Optional<Json> health = health();
        if (context.output().json()) {
            Json.Building data = Json.object().put("version", version);
            health.ifPresent(daemon -> data.put("daemon", daemon));
            context.output().data("version", data.build());
            return 0;
        }
        context.output().line("cortex " + version);
        if (health.isPresent()) {
            String theirs = health.get().get("version").text();
            context.output()
                    .line("daemon " + theirs + ", pid "
                            + health.get().get("pid").text());
        }
        return 0;
    }

    private Optional<Json> health() {
        try {
            Optional<Connection> running = context.daemon().connectRunning();
            if (running.isEmpty()) {
                return Optional.empty();
            }
            return Optional.of(context.daemon().call(Request.of(Operations.HEALTH), running.get(), Daemon.SILENT));
        } catch (CortexException e) {
            return Optional.empty();
        }
    }
}
