package dev.cortex.cli.verb;

import dev.cortex.cli.command.Invocation;
import dev.cortex.cli.command.UsageException;
import dev.cortex.cli.command.Word;
import dev.cortex.cli.host.HostText;
import dev.cortex.cli.host.RandomBytes;
import dev.cortex.cli.http.Connection;
import dev.cortex.cli.http.Request;
import dev.cortex.cli.json.Json;
import dev.cortex.cli.json.JsonText;
import dev.cortex.cli.session.Environment;
import dev.cortex.cli.session.Signals;
import dev.cortex.cli.settings.Settings;
import dev.cortex.cli.terminal.Patience;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.protocol.operation.Operations;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** Makes a sandbox; Ctrl-C meanwhile cancels it and waits until nothing of it is left. */
final class Creation {
    /** A create that is cancelled ends within moments; a daemon that hangs must not hang us. */
    private static final int CANCEL_POLLS = 300;

    private static final long CANCEL_POLL_MILLIS = 50;

    /** A daemon that saw the request end undoes it within moments; what runs after so many is whole. */
    private static final int SETTLED_POLLS = 4;

    private final Context context;
    private Optional<Connection> connection = Optional.empty();
    private boolean cancelled;
    private boolean done;

    Creation(Context context) {
        this.context = context;
    }

    /** What the command line and the settings say about the sandbox. */
    static Json.Building request(Context context, boolean environmentOfSandbox) throws UsageException {
        Invocation invocation = context.invocation();
        Settings settings = context.settings();
        Json.Building request = Json.object();
        settings.apply(request, true);
        List<Word> pairs = environmentOfSandbox ? Environment.withValues(invocation.values("env")) : List.of();
        Optional<Boolean> root = invocation.has("no-root") ? Optional.of(false) : Optional.empty();
        request.put("env", settings.environment(pairs))
                .put("labels", labels(invocation))
                .put("mounts", MountOption.all(invocation.values("mount")))
                .put("rights", settings.rights(root))
                .put("egress", AllowedHosts.of(invocation.values("allow-host"), settings));
        if (HostText.variable("CORTEX_ALLOW_INSECURE_PROCESS").equals("1")) {
            request.put("allow_insecure_process", true);
        }
        return request;
    }

    private static Json labels(Invocation invocation) throws UsageException {
        Json.Building labels = Json.object();
        for (Word label : invocation.values("label")) {
            int equals = label.text().indexOf('=');
            if (equals <= 0) {
                throw new UsageException(
                        "--label '" + label.text() + "' has no name or value", "write: --label NAME=VALUE");
            }
            labels.put(label.text().substring(0, equals), label.text().substring(equals + 1));
        }
        return labels.build();
    }

    /**
     * @param mine tells the sandbox that this request makes from others
     * @throws CortexException CANCELLED after Ctrl-C
     */
    Json create(Json request, String what, Mine mine) {
        byte[] body = JsonText.write(request);
        Signals.handle("INT", this::cancel);
        Signals.handle("TERM", this::cancel);
        try (Patience patience = Patience.during(context.output(), what)) {
            Json made = new Readying(context)
                    .retrying(() -> context.daemon()
                            .call(
                                    Request.of(Operations.CREATE)
                                            .header("Idempotency-Key", RandomBytes.digits(20))
                                            .json(body),
                                    this::began));
            if (finish()) {
                throw awaitCancelled(mine);
            }
            return made;
        } catch (CortexException e) {
            if (finish() && e.code() != ErrorCode.CANCELLED) {
                throw awaitCancelled(mine);
            }
            throw e;
        }
    }

    /** Whether a sandbox that the daemon lists comes from this request. */
    interface Mine {
        boolean test(Json sandbox);
    }

    private synchronized void began(Connection open) {
        connection = Optional.of(open);
        if (cancelled) {
            close();
        }
    }

    /** Closing the request is what tells the daemon. */
    private synchronized void cancel() {
        if (cancelled || done) {
            return;
        }
        cancelled = true;
        context.output().say("cortex: cancelling …");
        close();
    }

    private synchronized boolean finish() {
        done = true;
        return cancelled;
    }

    private void close() {
        try {
            if (connection.isPresent()) {
                connection.get().close();
            }
        } catch (IOException e) {
            // Closed is closed.
        }
    }

    private CortexException awaitCancelled(Mine mine) {
        boolean removed = false;
        for (int poll = 0; poll < CANCEL_POLLS; poll++) {
            Optional<Json> left = left(mine);
            if (left.isEmpty()) {
                return removed
                        ? CortexException.of(
                                ErrorCode.CANCELLED,
                                "cancelled; it was ready already and is removed again",
                                "a disk of its name stays: cortex ls --all")
                        : CortexException.of(ErrorCode.CANCELLED, "cancelled, nothing of it is left", "");
            }
            if (poll >= SETTLED_POLLS && left.get().get("state").text().equals("running")) {
                remove(left.get());
                removed = true;
            }
            try {
                Thread.sleep(CANCEL_POLL_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        return CortexException.of(
                ErrorCode.CANCELLED,
                "cancelled, but the sandbox is there",
                "see: cortex ls        remove it: cortex rm --force NAME");
    }

    private Optional<Json> left(Mine mine) {
        Json list = context.daemon().call(Request.of(Operations.LIST));
        for (Json sandbox : list.get("sandboxes").items()) {
            if (mine.test(sandbox)) {
                return Optional.of(sandbox);
            }
        }
        return Optional.empty();
    }

    /** It was ready before the daemon saw us go. The disk stays: the name may have had it before. */
    private void remove(Json sandbox) {
        try {
            context.daemon()
                    .call(Request.of(Operations.REMOVE, sandbox.get("id").text())
                            .query("force", "true"));
        } catch (CortexException e) {
            if (e.code() != ErrorCode.NOT_FOUND && e.code() != ErrorCode.BUSY) {
                throw e;
            }
        }
    }
}
