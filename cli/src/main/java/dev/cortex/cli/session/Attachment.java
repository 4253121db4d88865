package dev.cortex.cli.session;

import dev.cortex.cli.http.Connection;
import dev.cortex.cli.http.Daemon;
import dev.cortex.cli.http.Request;
import dev.cortex.cli.terminal.Output;
import dev.cortex.cli.terminal.RawTerminal;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.protocol.error.GuestError;
import dev.cortex.protocol.operation.Operations;
import dev.cortex.protocol.wire.Frame;
import dev.cortex.protocol.wire.FrameChannel;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * A client at a session until it ends: output out, stdin and signals in. A lost connection is made again, the daemon
 * started again where none runs, and both directions go on at the byte where they were.
 *
 * <p>One thread reads frames and writes output, the caller's; one reads stdin; signals come on the JVM's.
 */
public final class Attachment {
    /** A daemon that was killed serves again within seconds; what lasts longer is no accident. */
    private static final long RECONNECT_MILLIS = 60_000;

    /** The neuron may not yet have noticed that our old stream is gone. */
    private static final long HELD_MILLIS = 5_000;

    private final Daemon daemon;
    private final Output output;
    private final Sink sink;
    private final Target target;
    private final SessionInput input = new SessionInput();
    private volatile Optional<Daemon.Upgraded> current = Optional.empty();
    private volatile Optional<RawTerminal> raw = Optional.empty();
    private long cursor;
    private boolean live;
    private boolean brokenOutput;
    private volatile boolean left;
    private volatile boolean leaving;
    private volatile int leavingStatus;

    public Attachment(Daemon daemon, Output output, Sink sink, Target target) {
        this.daemon = daemon;
        this.output = output;
        this.sink = sink;
        this.target = target;
        this.live = target.from() == Frame.LIVE_ONLY;
        this.cursor = live ? 0 : target.from();
    }

    /** Attaches to a session that exists, and stays to its end. */
    public ExitStatus attach(Connection connection) {
        try {
            open(connection);
        } catch (IOException e) {
            reconnect(e);
        }
        return stay();
    }

    /** Stays at a session that a request has just started and upgraded to. */
    public ExitStatus started(Daemon.Upgraded upgraded) {
        try {
            shakeHands(upgraded, target.mode(), cursor);
            use(upgraded);
        } catch (IOException e) {
            reconnect(e);
        }
        return stay();
    }

    /** Whether the person left a session that goes on. */
    public boolean left() {
        return left;
    }

    private ExitStatus stay() {
        if (target.terminal()) {
            enterRaw();
        }
        if (target.stdin()) {
            Thread pump = new Thread(new StdinPump(input, target.terminal(), () -> leave(0)), "cortex-stdin");
            pump.setDaemon(true);
            pump.start();
        }
        try {
            while (true) {
                Optional<ExitStatus> end = readOn();
                if (end.isPresent()) {
                    return end.get();
                }
            }
        } finally {
            closeRaw();
            current.ifPresent(upgraded -> close(upgraded.frames()));
        }
    }

    /** Reads until the session's end, or until the connection is lost and made again. */
    private Optional<ExitStatus> readOn() {
        FrameChannel frames = current.orElseThrow().frames();
        try {
            for (Optional<Frame> next = frames.read(); next.isPresent(); next = frames.read()) {
                Optional<ExitStatus> end = handle(next.get());
                if (end.isPresent()) {
                    return end;
                }
            }
            throw new IOException("the daemon closed the connection");
        } catch (IOException e) {
            if (leaving) {
                return Optional.of(leftBehind());
            }
            close(frames);
            input.disconnect();
            reconnect(e);
            return Optional.empty();
        }
    }

    /** By instanceof: a pattern switch generates a class at its first use, in the middle of a short command. */
    private Optional<ExitStatus> handle(Frame frame) {
        if (frame instanceof Frame.Data data) {
            write(data);
        } else if (frame instanceof Frame.Exit exit) {
            return Optional.of(brokenOutput ? new ExitStatus("broken_pipe", ExitStatus.BROKEN_PIPE) : ended(exit));
        } else if (frame instanceof Frame.HandshakeAck ack) {
            acknowledged(ack);
        } else if (frame instanceof Frame.Gap gap) {
            gap(gap.cursor());
        } else if (frame instanceof Frame.Error error) {
            throw told(error);
        }
        return Optional.empty();
    }

    private void acknowledged(Frame.HandshakeAck ack) {
        if (live) {
            live = false;
            cursor = ack.newest();
        }
    }

    private ExitStatus ended(Frame.Exit exit) {
        closeRaw();
        ExitStatus status = ExitStatus.of(exit);
        String words = status.words();
        if (!words.isEmpty()) {
            output.say("cortex: " + words);
        }
        return status;
    }

    private CortexException told(Frame.Error error) {
        CortexException told = GuestError.relayed(error.code(), error.message());
        if (told.code() != ErrorCode.BUSY) {
            return told;
        }
        return CortexException.of(
                ErrorCode.BUSY,
                told.getMessage(),
                "watch it: cortex attach " + target.sandbox() + " " + target.session()
                        + " --observe        take over: --take");
    }

    private void gap(long to) {
        output.say("cortex: " + grouped(to - cursor) + " bytes of output are missing here: nobody read them in time");
        cursor = to;
    }

    private void write(Frame.Data data) {
        ByteBuffer bytes = data.bytes();
        cursor += bytes.remaining();
        if (brokenOutput) {
            return;
        }
        try {
            sink.write(data.tag(), bytes);
        } catch (IOException e) {
            brokenOutput = true;
            Thread ending = new Thread(this::endUnread, "cortex-unread");
            ending.setDaemon(true);
            ending.start();
        }
    }

    /** Nobody reads our stdout: the program is told as it would be at a pipe of its own, and with more force later. */
    private void endUnread() {
        try {
            for (String signal : new String[] {"PIPE", "TERM", "KILL"}) {
                signal(signal);
                Thread.sleep(1_000);
            }
            output.say("cortex: nobody reads the output, and the session does not end: " + attachCommand());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (CortexException e) {
            output.say("cortex: " + e.getMessage());
        }
        leaving = true;
        current.ifPresent(upgraded -> close(upgraded.frames()));
    }

    // ---- connections -----------------------------------------------------------------------------------------

    private void open(Connection connection) throws IOException {
        use(handshake(connection, target.mode(), live ? Frame.LIVE_ONLY : cursor));
    }

    private Daemon.Upgraded handshake(Connection connection, Frame.Mode mode, long from) throws IOException {
        Request request = Request.of(Operations.SESSION_ATTACH, target.sandbox(), target.session());
        Daemon.Upgraded upgraded = daemon.upgrade(request, connection);
        shakeHands(upgraded, mode, from);
        return upgraded;
    }

    private void shakeHands(Daemon.Upgraded upgraded, Frame.Mode mode, long from) throws IOException {
        upgraded.frames().write(new Frame.Handshake(Frame.Kind.ATTACH, mode, from, target.session()));
    }

    private void use(Daemon.Upgraded upgraded) {
        current = Optional.of(upgraded);
        input.connect(upgraded.frames());
    }

    private void reconnect(IOException why) {
        output.say("cortex: connection to the daemon lost, reconnecting …");
        long begun = System.nanoTime();
        while (true) {
            long waited = (System.nanoTime() - begun) / 1_000_000;
            try {
                resume(daemon.connect());
                return;
            } catch (IOException e) {
                if (waited > RECONNECT_MILLIS) {
                    throw gone(why);
                }
            } catch (CortexException e) {
                if (!passes(e.code(), waited)) {
                    throw e;
                }
            }
            pause();
        }
    }

    /** What a daemon answers that has just started, or a neuron that has not yet seen our old stream end. */
    private static boolean passes(ErrorCode code, long waitedMillis) {
        return switch (code) {
            case BUSY -> waitedMillis < HELD_MILLIS;
            case GUEST_LOST, DRIVER_FAILED, NOT_RUNNING -> waitedMillis < HELD_MILLIS;
            default -> false;
        };
    }

    private void resume(Connection connection) throws IOException {
        Daemon.Upgraded upgraded = handshake(connection, target.mode(), live ? Frame.LIVE_ONLY : cursor);
        Frame first = upgraded.frames().read().orElseThrow(() -> new IOException("the daemon closed the connection"));
        if (first instanceof Frame.Error error) {
            close(upgraded.frames());
            throw told(error);
        }
        if (!(first instanceof Frame.HandshakeAck ack)) {
            close(upgraded.frames());
            throw new IOException("the session's first frame is not its acknowledgement");
        }
        acknowledged(ack);
        boolean whole = Long.compareUnsigned(ack.oldest(), cursor) <= 0;
        output.say("cortex: resumed at byte " + grouped(cursor) + (whole ? ", nothing missing" : ""));
        current = Optional.of(upgraded);
        if (target.terminal()) {
            upgraded.frames().write(winsize());
        }
        input.reconnect(upgraded.frames(), ack.stdinAccepted());
    }

    private CortexException gone(IOException why) {
        return CortexException.of(
                        ErrorCode.INTERNAL,
                        "the daemon cannot be reached any more, the result is unknown",
                        "once it runs again: " + attachCommand())
                .because(why);
    }

    private String attachCommand() {
        return "cortex attach " + target.sandbox() + " " + target.session() + " --from " + cursor;
    }

    // ---- the terminal, signals and leaving -------------------------------------------------------------------

    private void enterRaw() {
        raw = RawTerminal.enter();
        output.rawTerminal(raw.isPresent());
        Signals.handle("WINCH", () -> input.resize(winsize()));
    }

    private static Frame.Winsize winsize() {
        RawTerminal.Size size = RawTerminal.size();
        return new Frame.Winsize(size.rows(), size.columns(), 0, 0);
    }

    private void closeRaw() {
        raw.ifPresent(RawTerminal::close);
        output.rawTerminal(false);
    }

    /**
     * Leaves the session running; from any thread.
     *
     * @param status what the command then exits with
     */
    public void leave(int status) {
        leavingStatus = status;
        left = true;
        leaving = true;
        current.ifPresent(upgraded -> close(upgraded.frames()));
    }

    private ExitStatus leftBehind() {
        closeRaw();
        if (brokenOutput) {
            return new ExitStatus("broken_pipe", ExitStatus.BROKEN_PIPE);
        }
        if (target.terminal()) {
            output.say("");
        }
        output.say("cortex: left, the session goes on: " + attachCommand());
        return new ExitStatus("left", leavingStatus);
    }

    /**
     * Sends a signal to the session's foreground, over a connection of its own; from any thread.
     *
     * @param name without SIG
     */
    public void signal(String name) {
        daemon.call(Request.of(Operations.SESSION_SIGNAL, target.sandbox(), target.session())
                .json(SessionRequest.signal(name, false)));
    }

    private static void close(FrameChannel frames) {
        try {
            frames.close();
        } catch (IOException e) {
            // It is not used any more.
        }
    }

    private static void pause() {
        try {
            Thread.sleep(50);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** With thin groups, as in 18,211. */
    static String grouped(long number) {
        String digits = Long.toUnsignedString(number);
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < digits.length(); i++) {
            if (i > 0 && (digits.length() - i) % 3 == 0) {
                text.append(',');
            }
            text.append(digits.charAt(i));
        }
        return text.toString();
    }
}
