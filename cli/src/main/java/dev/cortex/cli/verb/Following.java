package dev.cortex.cli.verb;

import dev.cortex.cli.http.Request;
import dev.cortex.cli.json.Json;
import dev.cortex.cli.session.Attachment;
import dev.cortex.cli.session.CollectingSink;
import dev.cortex.cli.session.DescriptorSink;
import dev.cortex.cli.session.ExitStatus;
import dev.cortex.cli.session.Signals;
import dev.cortex.cli.session.Sink;
import dev.cortex.cli.session.Target;
import dev.cortex.cli.terminal.Output;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.protocol.operation.Operations;
import dev.cortex.protocol.wire.Frame;
import java.util.Optional;
import java.util.function.Function;

/** Stays at a session until it ends, hands our signals on to it, and says how it ended. */
final class Following {
    /** A signal can come before the daemon knows the session. */
    private static final int SIGNAL_ATTEMPTS = 100;

    private final Context context;
    private final Target target;
    private final Output output;
    private final Optional<CollectingSink> collected;
    private final Attachment attachment;
    private final boolean endsWithUs;
    private int interrupts;

    /**
     * @param endsWithUs whether the session is pointless without us: a client that gives up kills it
     */
    Following(Context context, Target target, boolean endsWithUs) {
        this.context = context;
        this.target = target;
        this.output = context.output();
        this.endsWithUs = endsWithUs;
        this.collected = output.json() ? Optional.of(new CollectingSink()) : Optional.empty();
        Sink sink = collected.isPresent() ? collected.get() : new DescriptorSink();
        this.attachment = new Attachment(context.daemon(), output, sink, target);
    }

    /**
     * @param way how the attachment comes to its session
     */
    int follow(Function<Attachment, ExitStatus> way) {
        Signals.handle("INT", this::interrupted);
        Signals.handle("TERM", () -> ended("TERM", ExitStatus.TERMINATED));
        Signals.handle("HUP", () -> ended("HUP", ExitStatus.HUNG_UP));
        long begun = System.nanoTime();
        ExitStatus end = way.apply(attachment);
        if (collected.isPresent() && !attachment.left()) {
            Json.Building data = Json.object().put("session", target.session()).put("sandbox", target.sandbox());
            data.put("cause", end.cause());
            if (!end.cause().equals("unknown")) {
                data.put("status", end.status());
            }
            collected.get().describe(data);
            data.put("duration_ms", (System.nanoTime() - begun) / 1_000_000);
            output.data(context.invocation().verb().name(), data.build());
        }
        if (end.cause().equals("exited") && end.status() != 0) {
            Denials.tell(context, target);
        }
        return end.status();
    }

    /** A session survives its client, but for one that is pointless without it. */
    private void ended(String signal, int status) {
        if (endsWithUs) {
            handOn(signal, status);
        } else {
            attachment.leave(status);
        }
    }

    /** The first and second reach the program; whoever presses a third time wants to be gone. */
    private synchronized void interrupted() {
        interrupts++;
        if (target.mode() == Frame.Mode.OBSERVE) {
            attachment.leave(ExitStatus.INTERRUPTED);
        } else if (interrupts <= 2) {
            if (interrupts == 2) {
                output.say("cortex: the program got SIGINT twice; Ctrl-C once more "
                        + (endsWithUs ? "kills it" : "leaves it running"));
            }
            handOn("INT", ExitStatus.INTERRUPTED);
        } else if (endsWithUs) {
            handOn("KILL", ExitStatus.INTERRUPTED);
        } else {
            attachment.leave(ExitStatus.INTERRUPTED);
        }
    }

    private void handOn(String signal, int otherwise) {
        Thread thread = new Thread(() -> deliver(signal, otherwise), "cortex-signal");
        thread.setDaemon(true);
        thread.start();
    }

    private void deliver(String signal, int otherwise) {
        for (int attempt = 0; attempt < SIGNAL_ATTEMPTS; attempt++) {
            try {
                attachment.signal(signal);
                return;
            } catch (CortexException e) {
                if (e.code() != ErrorCode.NOT_FOUND) {
                    output.say("cortex: cannot hand on SIG" + signal + ": " + e.getMessage());
                    return;
                }
            }
            try {
                Thread.sleep(50);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
        System.exit(otherwise);
    }

    /** How a session is found by its id, when the answer to its start was lost. */
    static boolean exists(Context context, String sandbox, String session) {
        try {
            context.daemon().call(Request.of(Operations.SESSION_STATUS, sandbox, session));
            return true;
        } catch (CortexException e) {
            if (e.code() == ErrorCode.NOT_FOUND) {
                return false;
            }
            throw e;
        }
    }
}
