package dev.cortex.cli.verb;

import dev.cortex.cli.command.Invocation;
import dev.cortex.cli.command.UsageException;
import dev.cortex.cli.host.RandomBytes;
import dev.cortex.cli.json.Json;
import dev.cortex.cli.session.SessionRequest;
import dev.cortex.cli.session.Target;
import java.util.Optional;

/** {@code cortex run}: one request makes the sandbox with its first session; the sandbox goes when that ends. */
final class RunCommand implements Command {
    private final Context context;
    private final Invocation invocation;

    RunCommand(Context context) {
        this.context = context;
        this.invocation = context.invocation();
    }

    @Override
    public int run() throws UsageException {
        Json.Building request = Creation.request(context, false).put("name", invocation.text("name"));
        if (invocation.command().isEmpty() && !hasOwnCommand(request.build())) {
            throw new UsageException("cortex run needs a command", "such as: cortex run -- python3 -c 'print(6*7)'");
        }
        String session = RandomBytes.sessionId();
        Streams streams = Streams.of(invocation, context.output().json());
        Optional<String> entrypoint = invocation.text("entrypoint");
        if (entrypoint.isPresent()) {
            request.put("entrypoint", Json.of(CommandText.words("entrypoint", entrypoint.get())));
        }
        request.put("remove_on_exit", true);
        request.put(
                "primary",
                SessionRequest.of(
                        invocation, session, invocation.command(), streams.terminal(), streams.stdin(), true));
        Json sandbox = new Creation(context)
                .create(
                        request.build(),
                        "making a sandbox",
                        made -> made.get("primary").text().equals(session));
        Target target = Target.held(sandbox.get("id").text(), session, streams.raw(), streams.stdin());
        return new Following(context, target, true)
                .follow(attachment -> attachment.attach(context.daemon().take()));
    }

    /** The machine's own /usr has none; an image says. */
    private static boolean hasOwnCommand(Json request) {
        String image = request.get("image").text();
        return !image.isEmpty() && !image.equals("host");
    }
}
