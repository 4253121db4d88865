package dev.cortex.cli.verb;

import dev.cortex.cli.http.Request;
import dev.cortex.cli.terminal.Patience;
import dev.cortex.protocol.api.SandboxView;
import dev.cortex.protocol.operation.Operation;

/** {@code cortex pause}, {@code resume} and {@code reset}: one request without a body for each sandbox. */
final class ChangeCommand implements Command {
    private final Context context;
    private final Operation<Void, SandboxView> operation;
    private final String doing;

    /** @param doing for people who wait, such as {@code pausing} */
    ChangeCommand(Context context, Operation<Void, SandboxView> operation, String doing) {
        this.context = context;
        this.operation = operation;
        this.doing = doing;
    }

    @Override
    public int run() {
        try (Patience patience = Patience.during(context.output(), doing)) {
            return new EachSandbox(context)
                    .run(
                            "sandbox",
                            name -> context.daemon().call(Request.of(operation, name)),
                            sandbox -> sandbox.get("name").text() + "  "
                                    + sandbox.get("state").text());
        }
    }
}
