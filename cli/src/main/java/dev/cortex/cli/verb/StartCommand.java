package dev.cortex.cli.verb;

import dev.cortex.cli.http.Request;
import dev.cortex.cli.terminal.Patience;
import dev.cortex.protocol.operation.Operations;

/** {@code cortex start}. */
final class StartCommand implements Command {
    private final Context context;

    StartCommand(Context context) {
        this.context = context;
    }

    @Override
    public int run() {
        try (Patience patience = Patience.during(context.output(), "starting")) {
            Readying readying = new Readying(context);
            return new EachSandbox(context)
                    .run(
                            "sandbox",
                            name -> readying.retrying(() -> context.daemon().call(Request.of(Operations.START, name))),
                            SandboxText::line);
        }
    }
}
