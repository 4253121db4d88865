package dev.cortex.testkit.driver;

import dev.cortex.protocol.wire.Frame;
import dev.cortex.protocol.wire.FrameChannel;
import dev.cortex.sandbox.guest.Guest;
import dev.cortex.sandbox.guest.SessionSpec;
import dev.cortex.sandbox.guest.SessionStatus;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

/** Runs commands in a sandbox and collects what they print. */
public final class Shell implements AutoCloseable {
    private static final String SESSION_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

    private final Guest guest;

    public Shell(Guest guest) {
        this.guest = guest;
    }

    public Guest guest() {
        return guest;
    }

    /** How a command ended; both streams together as text. */
    public record Outcome(Optional<SessionStatus.Cause> cause, int code, String output) {
        public boolean ok() {
            return cause.equals(Optional.of(SessionStatus.Cause.EXITED)) && code == 0;
        }
    }

    /** A script of {@code sh} as the default user. */
    public Outcome run(String script) {
        return run("", script);
    }

    /** A script of {@code sh} as a user; empty: the default. */
    public Outcome run(String user, String script) {
        return runCommand(user, "/bin/sh", "-c", script);
    }

    public Outcome runCommand(String user, String... argv) {
        SessionStatus started = guest.exec(spec(user, Optional.of(Trial.PATIENCE), List.of(argv)));
        String output = collect(started.id());
        SessionStatus ended = guest.status(started.id(), Trial.PATIENCE);
        return new Outcome(ended.cause(), ended.code(), output);
    }

    /** Starts a script and leaves it running. */
    public String begin(String script) {
        return guest.exec(spec("", Optional.empty(), List.of("/bin/sh", "-c", script)))
                .id();
    }

    private static SessionSpec spec(String user, Optional<Duration> timeout, List<String> argv) {
        List<byte[]> arguments = new ArrayList<>();
        argv.forEach(argument -> arguments.add(argument.getBytes(StandardCharsets.UTF_8)));
        return new SessionSpec(
                sessionId(),
                arguments,
                List.of(),
                new byte[0],
                user,
                Optional.empty(),
                false,
                true,
                timeout,
                false,
                "");
    }

    private String collect(String session) {
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        try (FrameChannel stream = guest.data()) {
            stream.write(new Frame.Handshake(Frame.Kind.ATTACH, Frame.Mode.HOLD, 0, session));
            for (Optional<Frame> frame = stream.read(); frame.isPresent(); frame = stream.read()) {
                if (frame.get() instanceof Frame.Data data) {
                    append(data.bytes(), output);
                } else if (frame.get() instanceof Frame.Exit) {
                    break;
                } else if (frame.get() instanceof Frame.Error error) {
                    throw new AssertionError("attach failed: " + error);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return output.toString(StandardCharsets.UTF_8);
    }

    private static void append(ByteBuffer bytes, ByteArrayOutputStream output) {
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(copy);
        output.writeBytes(copy);
    }

    private static String sessionId() {
        StringBuilder id = new StringBuilder("s_");
        for (int i = 0; i < 16; i++) {
            id.append(SESSION_ALPHABET.charAt(ThreadLocalRandom.current().nextInt(SESSION_ALPHABET.length())));
        }
        return id.toString();
    }

    @Override
    public void close() {
        guest.close();
    }
}
