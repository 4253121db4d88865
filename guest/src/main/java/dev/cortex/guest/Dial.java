package dev.cortex.guest;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.protocol.wire.Hello;
import dev.cortex.protocol.wire.HelloAck;
import dev.cortex.sandbox.driver.GuestStream;
import dev.cortex.sandbox.guest.GuestToken;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.function.Supplier;

/**
 * Opens streams to one neuron, each behind its Hello.
 *
 * @param dialer the driver's
 * @param patience how long an answer to a Hello may take
 */
record Dial(Supplier<GuestStream> dialer, Watchdog watchdog, Duration patience) {
    /** The protocol gives a peer 5 s for its Hello; a guest that needs longer for 7 bytes is no guest. */
    static final Duration PATIENCE = Duration.ofSeconds(5);

    /**
     * A stream whose Hello was answered.
     *
     * @throws CortexException what the dialer throws; GUEST_TOO_OLD without a common version; UNAUTHENTICATED when the
     *     guest refuses the token; GUEST_LOST when it answers nothing, or something that is no answer
     */
    GuestStream open(Hello.Purpose purpose, GuestToken token) {
        GuestStream stream = dialer.get();
        Future<?> deadline = watchdog.closeAfter(patience, stream);
        boolean opened = false;
        try {
            write(stream, Hello.of(purpose, token.bytes()).encode());
            accept(readAck(stream));
            opened = true;
            return stream;
        } catch (IOException e) {
            throw CortexException.of(ErrorCode.GUEST_LOST, "the guest does not answer its host's hello", "")
                    .because(e);
        } finally {
            deadline.cancel(false);
            if (!opened) {
                Watchdog.close(stream);
            }
        }
    }

    private static void accept(HelloAck ack) throws IOException {
        switch (ack.status()) {
            case OK -> {
                if (ack.version() < Hello.LOWEST_VERSION || ack.version() > Hello.HIGHEST_VERSION) {
                    throw new IOException("it chose version " + ack.version() + ", which was not offered");
                }
            }
            case NO_COMMON_VERSION ->
                throw CortexException.of(
                        ErrorCode.GUEST_TOO_OLD,
                        "the sandbox's neuron and this daemon have no protocol version in common (here: "
                                + Hello.LOWEST_VERSION + " to " + Hello.HIGHEST_VERSION + ")",
                        "stop and start the sandbox: it then gets this daemon's neuron");
            case TOKEN_REFUSED ->
                throw CortexException.of(
                        ErrorCode.UNAUTHENTICATED, "the guest refuses this host's token", "stop and start the sandbox");
            case UNKNOWN_PURPOSE -> throw new IOException("it knows no calls");
        }
    }

    private static void write(GuestStream stream, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            stream.write(bytes);
        }
    }

    private static HelloAck readAck(GuestStream stream) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(HelloAck.BYTES);
        while (bytes.hasRemaining()) {
            if (stream.read(bytes) < 0) {
                throw new IOException("the stream ended after " + bytes.position() + " bytes");
            }
        }
        return HelloAck.decode(bytes.flip());
    }
}
