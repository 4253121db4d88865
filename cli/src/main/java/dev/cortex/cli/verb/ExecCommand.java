package dev.cortex.cli.verb;

import dev.cortex.cli.command.Invocation;
import dev.cortex.cli.command.UsageException;
import dev.cortex.cli.command.Word;
import dev.cortex.cli.host.RandomBytes;
import dev.cortex.cli.http.Daemon;
import dev.cortex.cli.http.Request;
import dev.cortex.cli.json.Json;
import dev.cortex.cli.json.JsonText;
import dev.cortex.cli.session.Attachment;
import dev.cortex.cli.session.ExitStatus;
import dev.cortex.cli.session.SessionRequest;
import dev.cortex.cli.session.Target;
import dev.cortex.protocol.operation.Operations;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** {@code cortex exec}: one request starts the session and becomes its stream. */
final class ExecCommand implements Command {
    /** The user's shell of passwd, which the neuron puts into SHELL. */
    private static final List<Word> LOGIN_SHELL =
            List.of(Word.of("/bin/sh"), Word.of("-c"), Word.of("exec \"${SHELL:-/bin/sh}\" -l"));

    private final Context context;
    private final Invocation invocation;

    ExecCommand(Context context) {
        this.context = context;
        this.invocation = context.invocation();
    }

    @Override
    public int run() throws UsageException {
        String id = RandomBytes.sessionId();
        List<Word> argv = invocation.command().isEmpty() ? LOGIN_SHELL : invocation.command();
        if (invocation.has("detach")) {
            return detach(SessionRequest.of(invocation, id, argv, Optional.empty(), false, false));
        }
        Streams streams = Streams.of(invocation, context.output().json());
        byte[] request =
                JsonText.write(SessionRequest.of(invocation, id, argv, streams.terminal(), streams.stdin(), true));
        String sandbox = invocation.operand(0);
        Target target = Target.held(sandbox, id, streams.raw(), streams.stdin());
        return new Following(context, target, false).follow(attachment -> stream(attachment, target, request));
    }

    private int detach(Json request) {
        if (invocation.has("tty")) {
            // A detached session has no terminal to get its size from; attach later gives it one.
            request = withTerminal(request);
        }
        Json session = context.daemon()
                .call(Request.of(Operations.SESSION_START, invocation.operand(0))
                        .json(JsonText.write(request)));
        if (context.output().json()) {
            context.output().data("session", session);
        } else {
            context.output().line(session.get("id").text());
        }
        return 0;
    }

    private static Json withTerminal(Json request) {
        Json.Building with = Json.object();
        request.members().forEach(with::put);
        with.put(
                "terminal",
                Json.object()
                        .put("term", "xterm")
                        .put("rows", 24)
                        .put("columns", 80)
                        .build());
        return with.put("stdin", true).build();
    }

    /** The session's id is ours: when the answer is lost, it can be asked for, and nothing runs twice. */
    private ExitStatus stream(Attachment attachment, Target target, byte[] request) {
        IOException lost;
        try {
            return attachment.started(upgrade(target, request));
        } catch (IOException e) {
            lost = e;
        }
        if (Following.exists(context, target.sandbox(), target.session())) {
            return attachment.attach(context.daemon().take());
        }
        try {
            return attachment.started(upgrade(target, request));
        } catch (IOException e) {
            e.addSuppressed(lost);
            throw Daemon.lost(e);
        }
    }

    private Daemon.Upgraded upgrade(Target target, byte[] request) throws IOException {
        Request start = Request.of(Operations.SESSION_STREAM, target.sandbox()).json(request);
        return context.daemon().upgrade(start, context.daemon().take());
    }
}
