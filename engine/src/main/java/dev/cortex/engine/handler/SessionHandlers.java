package dev.cortex.engine.handler;

import dev.cortex.engine.operation.Call;
import dev.cortex.engine.operation.Handler;
import dev.cortex.protocol.api.Daemon;
import dev.cortex.protocol.api.Exec;
import dev.cortex.protocol.api.Lifecycle;
import dev.cortex.protocol.api.SessionView;
import dev.cortex.protocol.api.StartSession;
import dev.cortex.protocol.operation.Operations;
import dev.cortex.protocol.wire.FrameChannel;
import dev.cortex.sandbox.service.SandboxService;
import dev.cortex.sandbox.service.SandboxSessions.Attached;
import dev.cortex.sandbox.store.SandboxRow;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;

/** Sessions: exec, start, list, status, signal, remove, output, attach. */
final class SessionHandlers {
    private static final int STDIN_MOST = 1 << 20;
    private static final long LONGEST_WAIT_MS = 60_000;

    private final SandboxService sandboxes;

    SessionHandlers(SandboxService sandboxes) {
        this.sandboxes = sandboxes;
    }

    void register(Handlers handlers) {
        handlers.put(Operations.EXEC, (Handler.Json<Exec.Request, Exec.Result>) this::exec);
        handlers.put(Operations.SESSION_START, (Handler.Json<StartSession, SessionView>) this::start);
        handlers.put(Operations.SESSION_LIST, (Handler.Json<Void, Lifecycle.SessionList>) this::list);
        handlers.put(Operations.SESSION_STATUS, (Handler.Json<Void, SessionView>) this::status);
        handlers.put(Operations.SESSION_SIGNAL, (Handler.Json<Lifecycle.Signal, Lifecycle.Signaled>) this::signal);
        handlers.put(Operations.SESSION_REMOVE, (Handler.Json<Void, Daemon.Nothing>) this::remove);
        handlers.put(Operations.SESSION_OUTPUT, (Handler.Json<Void, Exec.Result>) this::output);
        handlers.put(Operations.SESSION_STREAM, (Handler.Frames<StartSession>)
                call -> relay(sandboxes.sessions().startAttached(call.sandbox(), identified(call))));
        handlers.put(Operations.SESSION_ATTACH, (Handler.Frames<Void>)
                call -> relay(sandboxes.sessions().attach(call.sandbox(), call.session())));
    }

    private Exec.Result exec(Call<Exec.Request> call) {
        Exec.Request request = call.request();
        return Views.result(sandboxes.sessions().exec(call.sandbox(), request.session(), stdin(request)));
    }

    private static Optional<byte[]> stdin(Exec.Request request) {
        if (request.stdin().isPresent() && request.stdinB64().isPresent()) {
            throw Parameters.wrong("stdin", "given once: stdin, or stdin_b64");
        }
        Optional<byte[]> stdin = request.stdinB64()
                .map(SessionHandlers::decoded)
                .or(() -> request.stdin().map(text -> text.getBytes(StandardCharsets.UTF_8)));
        if (stdin.isPresent() && stdin.get().length > STDIN_MOST) {
            throw Parameters.wrong("stdin", "at most 1 MiB; stream the rest, or copy a file");
        }
        return stdin;
    }

    private static byte[] decoded(String base64) {
        try {
            return Base64.getDecoder().decode(base64);
        } catch (IllegalArgumentException e) {
            throw Parameters.wrong("stdin_b64", "base64");
        }
    }

    private SessionView start(Call<StartSession> call) {
        SandboxRow row = sandboxes.find(call.sandbox());
        return Views.session(row, sandboxes.sessions().start(row.id().value(), identified(call)));
    }

    /** A session's id is its idempotency key: from the call's key follows the id, so that a repeat finds the session. */
    private static StartSession identified(Call<StartSession> call) {
        StartSession request = call.request();
        if (request.id().isPresent() || call.idempotencyKey().isEmpty()) {
            return request;
        }
        return new StartSession(
                Optional.of(SessionKeys.id(call.sandbox(), call.idempotencyKey().get())),
                request.argv(),
                request.argvB64(),
                request.env(),
                request.envB64(),
                request.cwd(),
                request.cwdB64(),
                request.user(),
                request.terminal(),
                request.stdin(),
                request.claim(),
                request.timeoutMs(),
                request.background(),
                request.label());
    }

    private Lifecycle.SessionList list(Call<Void> call) {
        SandboxRow row = sandboxes.find(call.sandbox());
        return new Lifecycle.SessionList(sandboxes.sessions().list(row.id().value()).stream()
                .map(session -> Views.session(row, session))
                .toList());
    }

    private SessionView status(Call<Void> call) {
        long wait = new Parameters(call).number("wait_ms", 0, 0, LONGEST_WAIT_MS);
        SandboxRow row = sandboxes.find(call.sandbox());
        return Views.session(
                row, sandboxes.sessions().status(row.id().value(), call.session(), Duration.ofMillis(wait)));
    }

    private Lifecycle.Signaled signal(Call<Lifecycle.Signal> call) {
        Lifecycle.Signal request = call.request();
        int signal = Signals.number(request.signal());
        return new Lifecycle.Signaled(sandboxes
                .sessions()
                .signal(call.sandbox(), call.session(), signal, request.all().orElse(false)));
    }

    private Daemon.Nothing remove(Call<Void> call) {
        sandboxes.sessions().remove(call.sandbox(), call.session());
        return new Daemon.Nothing();
    }

    private Exec.Result output(Call<Void> call) {
        long from = new Parameters(call).number("from", 0, 0, Long.MAX_VALUE);
        return Views.result(sandboxes.sessions().output(call.sandbox(), call.session(), from));
    }

    private static Handler.Relay relay(Attached attached) {
        return new Handler.Relay() {
            @Override
            public Map<String, String> headers() {
                return Map.of(Operations.SESSION_HEADER, attached.session());
            }

            @Override
            public void run(FrameChannel client) throws IOException {
                attached.relay().run(client);
            }
        };
    }
}
