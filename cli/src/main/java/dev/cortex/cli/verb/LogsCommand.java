package dev.cortex.cli.verb;

import dev.cortex.cli.command.Invocation;
import dev.cortex.cli.command.UsageException;
import dev.cortex.cli.http.Daemon;
import dev.cortex.cli.http.Request;
import dev.cortex.cli.json.Json;
import dev.cortex.cli.session.Attachment;
import dev.cortex.cli.session.DescriptorSink;
import dev.cortex.cli.session.ExitStatus;
import dev.cortex.cli.session.LastLines;
import dev.cortex.cli.session.Signals;
import dev.cortex.cli.session.Sink;
import dev.cortex.cli.session.Target;
import dev.cortex.cli.terminal.Units;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.protocol.error.GuestError;
import dev.cortex.protocol.operation.Operations;
import dev.cortex.protocol.wire.Frame;
import dev.cortex.protocol.wire.FrameChannel;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** {@code cortex logs}: watches a session without holding it, up to now or to its end. */
final class LogsCommand implements Command {
    private final Context context;
    private final Invocation invocation;

    LogsCommand(Context context) {
        this.context = context;
        this.invocation = context.invocation();
    }

    @Override
    public int run() throws UsageException {
        Optional<String> tail = invocation.text("tail");
        long lines = tail.isPresent() ? Units.whole("--tail", tail.get(), 0) : 0;
        String sandbox = invocation.operand(0);
        String session = session(sandbox);
        if (context.output().json()) {
            Json kept = context.daemon().call(Request.of(Operations.SESSION_OUTPUT, sandbox, session));
            context.output().data("output", kept);
            return 0;
        }
        Signals.handle("INT", () -> System.exit(ExitStatus.INTERRUPTED));
        Sink out = new DescriptorSink();
        try {
            long end = tail.isPresent() ? last(sandbox, session, lines, out) : 0;
            if (tail.isPresent() && !invocation.has("follow")) {
                return 0;
            }
            if (!invocation.has("follow")) {
                copy(sandbox, session, out);
                return 0;
            }
            Target target = new Target(sandbox, session, Frame.Mode.OBSERVE, end, false, false);
            new Attachment(context.daemon(), context.output(), out, target)
                    .attach(context.daemon().take());
            return 0;
        } catch (IOException e) {
            return ExitStatus.BROKEN_PIPE;
        }
    }

    private String session(String sandbox) {
        if (invocation.operands().size() > 1) {
            return context.daemon()
                    .call(Request.of(Operations.SESSION_STATUS, sandbox, invocation.operand(1)))
                    .get("id")
                    .text();
        }
        List<Json> sessions = context.daemon()
                .call(Request.of(Operations.SESSION_LIST, sandbox))
                .get("sessions")
                .items();
        if (sessions.isEmpty()) {
            throw CortexException.of(
                    ErrorCode.NOT_FOUND,
                    sandbox + " has no sessions yet",
                    "start one: cortex exec " + sandbox + " -- COMMAND");
        }
        return sessions.getLast().get("id").text();
    }

    /** Prints the last lines and gives the cursor behind them. */
    private long last(String sandbox, String session, long lines, Sink out) throws IOException {
        LastLines kept = new LastLines(lines);
        long end = copy(sandbox, session, kept);
        kept.writeTo(out);
        return end;
    }

    /** Copies what is there now, and gives the cursor behind it. */
    private long copy(String sandbox, String session, Sink sink) throws IOException {
        Daemon.Upgraded upgraded;
        try {
            upgraded = context.daemon()
                    .upgrade(
                            Request.of(Operations.SESSION_ATTACH, sandbox, session),
                            context.daemon().take());
        } catch (IOException e) {
            throw Daemon.lost(e);
        }
        try (FrameChannel frames = upgraded.frames()) {
            frames.write(new Frame.Handshake(Frame.Kind.ATTACH, Frame.Mode.OBSERVE, 0, session));
            long newest = -1;
            long cursor = 0;
            while (newest < 0 || cursor < newest) {
                Optional<Frame> next = read(frames);
                if (next.isEmpty() || next.get() instanceof Frame.Exit) {
                    return cursor;
                }
                switch (next.get()) {
                    case Frame.HandshakeAck ack -> newest = ack.newest();
                    case Frame.Gap gap -> cursor = gap.cursor();
                    case Frame.Data data -> {
                        cursor += data.bytes().remaining();
                        sink.write(data.tag(), data.bytes());
                    }
                    case Frame.Error error -> throw GuestError.relayed(error.code(), error.message());
                    default -> {
                        // Nothing else comes from a session.
                    }
                }
            }
            return cursor;
        }
    }

    private static Optional<Frame> read(FrameChannel frames) {
        try {
            return frames.read();
        } catch (IOException e) {
            throw Daemon.lost(e);
        }
    }
}
