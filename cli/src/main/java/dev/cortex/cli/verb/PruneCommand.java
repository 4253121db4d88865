package dev.cortex.cli.verb;

import dev.cortex.cli.http.Request;
import dev.cortex.cli.json.Json;
import dev.cortex.cli.json.JsonText;
import dev.cortex.cli.terminal.Output;
import dev.cortex.cli.terminal.Patience;
import dev.cortex.cli.terminal.Printable;
import dev.cortex.cli.terminal.Units;
import dev.cortex.protocol.operation.Operations;
import java.util.List;

/** {@code cortex prune}: says what would go, and with {@code --apply} removes it. */
final class PruneCommand implements Command {
    private static final int LEFT = 1;

    private final Context context;
    private final Output output;

    PruneCommand(Context context) {
        this.context = context;
        this.output = context.output();
    }

    @Override
    public int run() {
        boolean apply =
                context.invocation().has("apply") || context.invocation().has("yes");
        boolean disks = context.invocation().has("disks");
        Json.Building request = Json.object().put("apply", apply).put("disks", disks);
        Json result;
        try (Patience patience = Patience.during(output, apply ? "removing" : "looking")) {
            result = context.daemon().call(Request.of(Operations.PRUNE).json(JsonText.write(request.build())));
        }
        int status = result.get("left").items().isEmpty() ? 0 : LEFT;
        if (output.json()) {
            output.data("prune", result);
            return status;
        }
        tell(result, apply, disks);
        return status;
    }

    private void tell(Json result, boolean apply, boolean disks) {
        List<Json> orphans = result.get("orphans").items();
        List<Json> kept = result.get("disks").items();
        String word = apply ? "removed  " : "would go  ";
        for (Json orphan : orphans) {
            output.line(word + orphan.get("sandbox").text() + "  (no record knows it)");
            orphan.get("what").texts().forEach(what -> output.line("    " + Printable.of(what)));
        }
        for (Json disk : kept) {
            String name = disk.get("name").text();
            output.line((disks ? word : "kept  ") + "disk "
                    + (name.isEmpty() ? disk.get("folder").text() : name) + "  "
                    + Units.size(disk.get("bytes").whole()) + (name.isEmpty() ? "  (no record knows it)" : ""));
        }
        if (orphans.isEmpty() && kept.isEmpty()) {
            output.line("nothing to remove");
        }
        result.get("unsure").texts().forEach(line -> output.say("cortex: kept: " + Printable.of(line)));
        result.get("left").texts().forEach(line -> output.say("cortex: left: " + Printable.of(line)));
        if (!kept.isEmpty() && !disks) {
            output.say("  with the disks: cortex prune --disks");
        }
        if (!apply && (!orphans.isEmpty() || (disks && !kept.isEmpty()))) {
            output.say("  nothing was changed; do it: cortex prune --apply" + (disks ? " --disks" : ""));
        }
    }
}
