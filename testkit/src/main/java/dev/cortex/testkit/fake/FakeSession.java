package dev.cortex.testkit.fake;

import dev.cortex.protocol.wire.Frame.Tag;
import dev.cortex.sandbox.guest.SessionSpec;
import dev.cortex.sandbox.guest.SessionStatus;
import dev.cortex.sandbox.guest.SessionStatus.Cause;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A scripted process, by its first argument: {@code echo WORDS}, {@code exit N}, {@code cat}, {@code stubborn} (ignores
 * TERM); anything else sleeps until it is signalled. Thread-safe.
 */
public final class FakeSession {
    private static final int SIGKILL = 9;

    private final SessionSpec spec;
    private final Instant begun = Instant.now();
    private final List<Chunk> output = new ArrayList<>();
    private long newest;
    private long stdin;
    private Optional<Cause> cause = Optional.empty();
    private int code;

    FakeSession(SessionSpec spec) {
        this.spec = spec;
        switch (word(0)) {
            case "echo" -> {
                write(Tag.STDOUT, (spec.argv().size() > 1 ? word(1) : "") + "\n");
                end(Cause.EXITED, 0);
            }
            case "exit" -> end(Cause.EXITED, Integer.parseInt(word(1)));
            default -> {}
        }
    }

    public synchronized void write(Tag tag, String text) {
        write(tag, text.getBytes(StandardCharsets.UTF_8));
    }

    public synchronized void write(Tag tag, byte[] bytes) {
        output.add(new Chunk(newest, tag, bytes));
        newest += bytes.length;
        notifyAll();
    }

    public synchronized void end(Cause why, int with) {
        if (cause.isEmpty()) {
            cause = Optional.of(why);
            code = with;
            notifyAll();
        }
    }

    synchronized void signal(int signal) {
        if (!word(0).equals("stubborn") || signal == SIGKILL) {
            end(Cause.SIGNALED, signal);
        }
    }

    synchronized void stdin(byte[] bytes) {
        stdin += bytes.length;
        if (word(0).equals("cat")) {
            write(Tag.STDOUT, bytes);
        }
    }

    synchronized void stdinClosed() {
        if (word(0).equals("cat")) {
            end(Cause.EXITED, 0);
        }
    }

    synchronized long stdinAccepted() {
        return stdin;
    }

    public synchronized SessionStatus status() {
        return new SessionStatus(
                spec.id(),
                42,
                spec.argv(),
                spec.user(),
                spec.terminal().isPresent(),
                spec.background(),
                spec.label(),
                begun,
                cause.map(c -> Instant.now()),
                cause,
                code,
                0,
                newest,
                false,
                false,
                0,
                0);
    }

    synchronized SessionStatus awaitEnd(Duration most) throws InterruptedException {
        long deadline = System.nanoTime() + most.toNanos();
        for (long left = most.toMillis();
                cause.isEmpty() && left > 0;
                left = (deadline - System.nanoTime()) / 1_000_000) {
            wait(left);
        }
        return status();
    }

    /** What follows {@code cursor}; waits for it, empty when the session ended first. */
    synchronized Optional<Chunk> next(long cursor) throws InterruptedException {
        while (true) {
            for (Chunk chunk : output) {
                if (chunk.end() > cursor) {
                    return Optional.of(chunk.from(cursor));
                }
            }
            if (cause.isPresent()) {
                return Optional.empty();
            }
            wait(50);
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
        }
    }

    private String word(int at) {
        return spec.argv().isEmpty() ? "sh" : new String(spec.argv().get(at), StandardCharsets.UTF_8);
    }

    record Chunk(long begin, Tag tag, byte[] bytes) {
        long end() {
            return begin + bytes.length;
        }

        Chunk from(long cursor) {
            int skip = (int) Math.max(0, cursor - begin);
            return new Chunk(begin + skip, tag, java.util.Arrays.copyOfRange(bytes, skip, bytes.length));
        }
    }
}
