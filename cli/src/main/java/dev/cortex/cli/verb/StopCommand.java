package dev.cortex.cli.verb;

import dev.cortex.cli.command.UsageException;
import dev.cortex.cli.http.Request;
import dev.cortex.cli.json.Json;
import dev.cortex.cli.json.JsonText;
import dev.cortex.cli.terminal.Patience;
import dev.cortex.cli.terminal.Units;
import dev.cortex.protocol.operation.Operations;
import java.util.Optional;

/** {@code cortex stop}. */
final class StopCommand implements Command {
    private final Context context;

    StopCommand(Context context) {
        this.context = context;
    }

    @Override
    public int run() throws UsageException {
        Json.Building request = Json.object();
        Optional<String> grace = context.invocation().text("grace");
        if (grace.isPresent()) {
            request.put("grace_ms", grace.get().equals("0") ? 0 : Units.millis("--grace", grace.get()));
        }
        byte[] body = JsonText.write(request.build());
        try (Patience patience = Patience.during(context.output(), "stopping")) {
            return new EachSandbox(context)
                    .run(
                            "sandbox",
                            name -> context.daemon()
                                    .call(Request.of(Operations.STOP, name).json(body)),
                            sandbox -> sandbox.get("name").text() + "  "
                                    + sandbox.get("state").text());
        }
    }
}
