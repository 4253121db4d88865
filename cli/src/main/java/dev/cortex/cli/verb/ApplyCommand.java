package dev.cortex.cli.verb;

import dev.cortex.cli.command.Invocation;
import dev.cortex.cli.command.UsageException;
import dev.cortex.cli.http.Request;
import dev.cortex.cli.json.Json;
import dev.cortex.cli.json.JsonText;
import dev.cortex.cli.terminal.Output;
import dev.cortex.cli.terminal.Patience;
import dev.cortex.cli.terminal.Printable;
import dev.cortex.protocol.operation.Operations;
import java.util.ArrayList;
import java.util.List;

/** {@code cortex apply}. */
final class ApplyCommand implements Command {
    private final Context context;
    private final Invocation invocation;
    private final Output output;

    ApplyCommand(Context context) {
        this.context = context;
        this.invocation = context.invocation();
        this.output = context.output();
    }

    @Override
    public int run() throws UsageException {
        if (invocation.has("message") && !invocation.has("branch")) {
            throw new UsageException("--message is for a commit", "add: --branch NAME");
        }
        if (invocation.has("check") && invocation.has("branch")) {
            throw new UsageException("--branch changes nothing here that could be checked", "leave --check out");
        }
        String name = invocation.operand(0);
        Json applied;
        try (Patience patience = Patience.during(output, "applying the changes of " + name)) {
            applied = context.daemon()
                    .call(Request.of(Operations.WORKSPACE_APPLY, name).json(JsonText.write(request())));
        }
        boolean conflicts = !applied.get("conflicts").items().isEmpty();
        if (output.json()) {
            output.data("applied", applied);
        } else {
            tell(name, applied);
        }
        return conflicts ? 1 : 0;
    }

    private Json request() {
        Json.Building request = Json.object();
        List<Json> paths = new ArrayList<>();
        for (String path : DiffCommand.paths(invocation)) {
            paths.add(Json.of(path));
        }
        request.put("paths", Json.of(paths)).put("check", invocation.has("check"));
        request.put("allow_hooks", invocation.has("allow-hooks"));
        request.put("branch", invocation.text("branch")).put("message", invocation.text("message"));
        return request.build();
    }

    private void tell(String name, Json applied) {
        if (applied.get("undone").isTrue()) {
            output.say("cortex: an earlier apply had been cut off, and was taken back first");
        }
        List<Json> conflicts = applied.get("conflicts").items();
        if (!conflicts.isEmpty()) {
            for (Json conflict : conflicts) {
                output.line(output.red("conflict") + "  " + ChangeTable.path(conflict) + ": "
                        + Printable.of(conflict.get("reason").text()));
            }
            output.say("cortex: nothing was applied, " + counted(conflicts.size(), "conflict"));
            output.say("  commit or move away what you changed there, then again; or apply the others: cortex apply "
                    + name + " -- PATH…");
            return;
        }
        List<String> merged = applied.get("merged").texts();
        List<Json> files = applied.get("files").items();
        for (Json file : files) {
            String path = ChangeTable.path(file);
            output.line(word(file) + "  " + path + (merged.contains(path) ? "  merged with your changes" : ""));
        }
        output.say("cortex: " + summary(applied, files.size()));
    }

    private String summary(Json applied, int files) {
        String folder = Printable.of(applied.get("folder").text());
        String branch = applied.get("branch").text();
        if (!branch.isEmpty()) {
            return counted(files, "change") + " committed as "
                    + applied.get("commit").text().substring(0, 12) + " on the branch " + Printable.of(branch);
        }
        if (files == 0) {
            return "nothing to apply: " + folder + " has all of it";
        }
        return invocation.has("check")
                ? counted(files, "change") + " would be applied to " + folder
                : counted(files, "change") + " applied to " + folder;
    }

    private String word(Json file) {
        return switch (file.get("change").text()) {
            case "added" -> output.green("added   ");
            case "deleted" -> output.red("deleted ");
            case "mode" -> "mode    ";
            case "replaced" -> output.yellow("replaced");
            default -> output.yellow("modified");
        };
    }

    private static String counted(int count, String what) {
        return count + " " + what + (count == 1 ? "" : "s");
    }
}
