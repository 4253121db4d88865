package dev.cortex.cli.verb;

import dev.cortex.cli.command.Invocation;
import dev.cortex.cli.command.UsageException;
import dev.cortex.cli.host.Descriptors;
import dev.cortex.cli.http.Request;
import dev.cortex.cli.json.Json;
import dev.cortex.cli.session.Target;
import dev.cortex.cli.terminal.Units;
import dev.cortex.protocol.operation.Operations;
import dev.cortex.protocol.wire.Frame;
import java.util.Optional;

/** {@code cortex attach}. */
final class AttachCommand implements Command {
    private final Context context;
    private final Invocation invocation;

    AttachCommand(Context context) {
        this.context = context;
        this.invocation = context.invocation();
    }

    @Override
    public int run() throws UsageException {
        Frame.Mode mode = mode();
        long from = from();
        String sandbox = invocation.operand(0);
        Json session = context.daemon().call(Request.of(Operations.SESSION_STATUS, sandbox, invocation.operand(1)));
        boolean writes = mode != Frame.Mode.OBSERVE && !invocation.has("no-stdin");
        boolean terminal = writes
                && session.get("terminal").isTrue()
                && session.get("state").text().equals("running")
                && Descriptors.isTerminal(0)
                && Descriptors.isTerminal(1)
                && !context.output().json();
        boolean stdin = writes && (terminal || (!Descriptors.isTerminal(0) && Descriptors.isReadable(0)));
        Target target = new Target(sandbox, session.get("id").text(), mode, from, terminal, stdin);
        return new Following(context, target, false)
                .follow(attachment -> attachment.attach(context.daemon().take()));
    }

    private Frame.Mode mode() throws UsageException {
        if (invocation.has("observe") && invocation.has("take")) {
            throw new UsageException("--observe and --take exclude each other", "give one of them");
        }
        if (invocation.has("observe")) {
            return Frame.Mode.OBSERVE;
        }
        return invocation.has("take") ? Frame.Mode.TAKE_OVER : Frame.Mode.HOLD;
    }

    private long from() throws UsageException {
        Optional<String> from = invocation.text("from");
        if (from.isPresent() && invocation.has("live")) {
            throw new UsageException("--from and --live exclude each other", "give one of them");
        }
        if (from.isPresent()) {
            return Units.whole("--from", from.get(), 0);
        }
        return invocation.has("live") ? Frame.LIVE_ONLY : 0;
    }
}
