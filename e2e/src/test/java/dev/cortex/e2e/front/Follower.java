package dev.cortex.e2e.front;

import dev.cortex.cli.host.Install;
import dev.cortex.cli.http.Connection;
import dev.cortex.cli.http.Daemon;
import dev.cortex.cli.http.Request;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.protocol.home.Home;
import dev.cortex.protocol.operation.Operations;
import dev.cortex.protocol.wire.Frame;
import dev.cortex.protocol.wire.FrameChannel;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Follows one session's output from its first byte to its end over whatever daemon serves the home, attaching again at
 * its cursor as often as the connection breaks. Never starts a daemon.
 */
final class Follower implements Runnable {
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final Daemon daemon;
    private final String sandbox;
    private final String session;
    private final ByteArrayOutputStream output = new ByteArrayOutputStream();
    private final AtomicLong cursor = new AtomicLong();
    private final AtomicInteger attached = new AtomicInteger();
    private volatile Optional<Frame.Exit> end = Optional.empty();

    Follower(Home home, String sandbox, String session) {
        this.daemon = new Daemon(home, Install.current(), notice -> {});
        this.sandbox = sandbox;
        this.session = session;
    }

    @Override
    public void run() {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (end.isEmpty() && System.nanoTime() < deadline) {
            daemon.connectRunning().ifPresent(this::follow);
            pause();
        }
    }

    private void follow(Connection connection) {
        try (FrameChannel frames = daemon.upgrade(Request.of(Operations.SESSION_ATTACH, sandbox, session), connection)
                .frames()) {
            frames.write(new Frame.Handshake(Frame.Kind.ATTACH, Frame.Mode.OBSERVE, cursor.get(), session));
            for (Optional<Frame> next = frames.read(); next.isPresent() && end.isEmpty(); next = frames.read()) {
                take(next.get());
            }
        } catch (IOException broken) {
            // The next turn attaches again.
        } catch (CortexException refused) {
            if (refused.code() == ErrorCode.NOT_FOUND) {
                throw refused;
            }
        }
    }

    private void take(Frame frame) {
        switch (frame) {
            case Frame.HandshakeAck ack -> attached.incrementAndGet();
            case Frame.Data data -> {
                ByteBuffer bytes = data.bytes();
                byte[] copy = new byte[bytes.remaining()];
                bytes.get(copy);
                output.writeBytes(copy);
                cursor.addAndGet(copy.length);
            }
            case Frame.Gap gap ->
                throw new AssertionError(sandbox + " lost bytes from " + cursor + " to " + gap.cursor());
            case Frame.Exit exit -> end = Optional.of(exit);
            default -> {}
        }
    }

    private static void pause() {
        try {
            Thread.sleep(20);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    long bytes() {
        return cursor.get();
    }

    int timesAttached() {
        return attached.get();
    }

    Optional<Frame.Exit> end() {
        return end;
    }

    String output() {
        return output.toString(StandardCharsets.UTF_8);
    }
}
