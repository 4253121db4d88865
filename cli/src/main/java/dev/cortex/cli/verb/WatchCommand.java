package dev.cortex.cli.verb;

import dev.cortex.cli.command.Invocation;
import dev.cortex.cli.command.Word;
import dev.cortex.cli.http.Request;
import dev.cortex.cli.http.ServerEvents;
import dev.cortex.cli.json.Json;
import dev.cortex.cli.session.ExitStatus;
import dev.cortex.cli.session.Signals;
import dev.cortex.cli.terminal.Output;
import dev.cortex.cli.terminal.Printable;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.protocol.operation.Operations;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;

/** {@code cortex watch}: a line for each change, until Ctrl-C or until what is watched has gone. */
final class WatchCommand implements Command {
    /** A daemon that was killed serves again within seconds; what lasts longer is no accident. */
    private static final long REOPEN_MILLIS = 60_000;

    private static final long PAUSE_MILLIS = 100;

    private final Context context;
    private final Invocation invocation;
    private final Output output;

    WatchCommand(Context context) {
        this.context = context;
        this.invocation = context.invocation();
        this.output = context.output();
    }

    @Override
    public int run() {
        String sandbox = invocation.operand(0);
        Word path = invocation.operands().size() > 1 ? invocation.operands().get(1) : Word.of(".");
        Signals.handle("INT", () -> System.exit(ExitStatus.INTERRUPTED));
        ServerEvents events = open(sandbox, path);
        output.say("cortex: watching " + sandbox + ":" + Printable.of(path.text()) + "   (Ctrl-C ends)");
        while (!toldAll(events)) {
            // The daemon went, and what happened until now went unseen.
            output.say("cortex: the daemon was lost, watching again");
            events = reopen(sandbox, path);
            tell(Json.object()
                    .put("kind", "rescan")
                    .put("folder", true)
                    .put("path", path.text())
                    .build());
        }
        return 0;
    }

    /** False when the daemon was lost meanwhile. */
    private boolean toldAll(ServerEvents stream) {
        try (stream) {
            for (Optional<Json> next = stream.next(); next.isPresent(); next = stream.next()) {
                tell(next.get());
            }
            return true;
        } catch (CortexException e) {
            if (e.code() == ErrorCode.INTERNAL) {
                return false;
            }
            throw e;
        }
    }

    /** A daemon that is ending may still take a connection, and its successor needs a moment. */
    private ServerEvents reopen(String sandbox, Word path) {
        long end = System.nanoTime() + REOPEN_MILLIS * 1_000_000;
        while (true) {
            try {
                return open(sandbox, path);
            } catch (CortexException e) {
                if (e.code() != ErrorCode.INTERNAL || System.nanoTime() > end) {
                    throw e;
                }
            }
            try {
                Thread.sleep(PAUSE_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw CortexException.of(ErrorCode.CANCELLED, "interrupted", "");
            }
        }
    }

    private ServerEvents open(String sandbox, Word path) {
        Request request = Request.of(Operations.FILE_WATCH, sandbox);
        if (path.isText()) {
            request.query("path", path.text());
        } else {
            request.query("path_b64", Base64.getEncoder().encodeToString(path.bytes()));
        }
        invocation.text("user").ifPresent(user -> request.query("user", user));
        if (invocation.has("flat")) {
            request.query("recursive", "false");
        }
        return new ServerEvents(context.daemon().download(request));
    }

    private void tell(Json change) {
        String kind = change.get("kind").text();
        if (kind.equals("failed")) {
            throw CortexException.of(
                    ErrorCode.named(change.get("code").text()).orElse(ErrorCode.GUEST_LOST),
                    Printable.of(change.get("message").text()),
                    "see: cortex inspect " + invocation.operand(0));
        }
        if (output.json()) {
            output.data("change", change);
            return;
        }
        String from = path(change, "from");
        String slash = change.get("folder").isTrue() ? "/" : "";
        output.line(kind
                + " ".repeat(Math.max(1, 11 - kind.length()))
                + (from.isEmpty() ? "" : from + slash + " -> ")
                + path(change, "path")
                + slash);
    }

    private static String path(Json change, String name) {
        String encoded = change.get(name + "_b64").text();
        String text = encoded.isEmpty()
                ? change.get(name).text()
                : new String(Base64.getDecoder().decode(encoded), StandardCharsets.UTF_8);
        return Printable.of(text);
    }
}
