package dev.cortex.sandbox.session;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.protocol.wire.Frame;
import dev.cortex.protocol.wire.FrameChannel;
import dev.cortex.protocol.wire.FrameException;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/** The first frame of a client, and errors told in frames. */
final class Handshakes {
    private static final System.Logger LOG = System.getLogger(Handshakes.class.getName());

    /** Clients send it with their request or right behind the answer; an hour of nothing is nobody. */
    static final Duration WITHIN = Duration.ofSeconds(30);

    /** The wire's limit for an Error's message is 4,096 bytes; four bytes a character at most. */
    private static final int MESSAGE_CHARACTERS = 1_000;

    private Handshakes() {}

    /**
     * The client's Handshake; empty when it left, or was told what is wrong with it.
     *
     * @param within after which a silent client is told so and its channel closed
     * @throws IOException when the channel broke, or was closed so
     */
    static Optional<Frame.Handshake> read(FrameChannel client, Duration within) throws IOException {
        Thread timer = Thread.ofVirtual().name("handshake-timer").start(() -> closeAfter(within, client));
        try {
            Optional<Frame> first = client.read();
            if (first.isEmpty()) {
                return Optional.empty();
            }
            if (first.get() instanceof Frame.Handshake handshake && handshake.kind() == Frame.Kind.ATTACH) {
                return Optional.of(handshake);
            }
            tell(client, ErrorCode.INVALID_ARGUMENT, "the first frame must be a Handshake of kind attach");
        } catch (FrameException e) {
            tell(client, ErrorCode.INVALID_ARGUMENT, String.valueOf(e.getMessage()));
        } finally {
            timer.interrupt();
        }
        return Optional.empty();
    }

    private static void closeAfter(Duration within, FrameChannel client) {
        try {
            Thread.sleep(within);
            try (client) {
                tell(client, ErrorCode.DEADLINE, "no Handshake came within " + within.toSeconds() + " s");
            }
        } catch (InterruptedException e) {
            // It came in time.
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "a client that sent no Handshake is gone", e);
        }
    }

    static void tell(FrameChannel client, CortexException error) throws IOException {
        tell(client, error.code(), error.getMessage());
    }

    static void tell(FrameChannel client, ErrorCode code, String message) throws IOException {
        String fitting = message.length() > MESSAGE_CHARACTERS ? message.substring(0, MESSAGE_CHARACTERS) : message;
        client.write(new Frame.Error(code.name(), fitting));
    }
}
