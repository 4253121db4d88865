package dev.cortex.cli.verb;

import dev.cortex.cli.command.Invocation;
import dev.cortex.cli.command.UsageException;
import dev.cortex.cli.json.Json;
import java.util.Optional;

/** {@code cortex create}. */
final class CreateCommand implements Command {
    private final Context context;
    private final Invocation invocation;

    CreateCommand(Context context) {
        this.context = context;
        this.invocation = context.invocation();
    }

    @Override
    public int run() throws UsageException {
        String name = invocation.operand(0);
        Json.Building request = Creation.request(context, true).put("name", name);
        Optional<Json> lifetime = LifetimeOption.of(invocation);
        if (lifetime.isPresent()) {
            request.put("lifetime", lifetime.get());
        }
        if (invocation.has("no-start")) {
            request.put("start", false);
        }
        if (invocation.has("wipe")) {
            request.put("wipe", true);
        }
        long begun = System.nanoTime();
        Json sandbox = new Creation(context)
                .create(
                        request.build(),
                        request.has("workspace") ? "copying the workspace and making " + name : "making " + name,
                        made -> made.get("name").text().equals(name)
                                && !made.get("state").text().equals("error"));
        long millis = (System.nanoTime() - begun) / 1_000_000;
        if (context.output().json()) {
            context.output().data("sandbox", sandbox);
        } else {
            context.output().line(SandboxText.line(sandbox) + "  " + millis + " ms");
        }
        return 0;
    }
}
