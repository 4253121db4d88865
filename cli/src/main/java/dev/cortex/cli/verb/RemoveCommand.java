package dev.cortex.cli.verb;

import dev.cortex.cli.http.Request;
import dev.cortex.cli.json.Json;
import dev.cortex.cli.terminal.Patience;
import dev.cortex.cli.terminal.Printable;
import dev.cortex.protocol.operation.Operations;
import java.util.List;

/** {@code cortex rm}. */
final class RemoveCommand implements Command {
    private final Context context;

    RemoveCommand(Context context) {
        this.context = context;
    }

    @Override
    public int run() {
        try (Patience patience = Patience.during(context.output(), "removing")) {
            return new EachSandbox(context).run("removed", this::remove, this::shown);
        }
    }

    private Json remove(String name) {
        Request request = Request.of(Operations.REMOVE, name);
        if (context.invocation().has("force")) {
            request.query("force", "true");
        }
        if (context.invocation().has("wipe")) {
            request.query("wipe", "true");
        }
        return context.daemon().call(request);
    }

    private String shown(Json removed) {
        String name = removed.get("name").text();
        List<String> left = removed.get("left").texts();
        if (!left.isEmpty()) {
            return name + "  removed, but these could not be: " + Printable.of(String.join(", ", left));
        }
        return name + "  removed" + (removed.get("disk_kept").isTrue() ? ", its disk is kept" : "");
    }
}
