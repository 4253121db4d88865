package dev.cortex.guest;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.protocol.wire.Frame;
import dev.cortex.protocol.wire.FrameChannel;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Future;

/** Connections to ports of a sandbox, each over a data stream of its own. */
final class Forwards {
    /** The neuron waits 10 s for a server that does not accept. */
    private static final Duration PATIENCE = Duration.ofSeconds(15);

    private final DataStreams streams;
    private final Watchdog watchdog;

    Forwards(DataStreams streams, Watchdog watchdog) {
        this.streams = streams;
        this.watchdog = watchdog;
    }

    /** A channel on which Data and Eof may be sent, because the neuron has connected. */
    FrameChannel open(int port) {
        FrameChannel channel = streams.open();
        Future<?> deadline = watchdog.closeAfter(PATIENCE, channel);
        boolean opened = false;
        try {
            channel.write(new Frame.Handshake(Frame.Kind.FORWARD, Frame.Mode.OBSERVE, 0, "tcp:" + port));
            accept(channel.read());
            opened = deadline.cancel(false);
            if (!opened) {
                throw new IOException("it took longer than " + PATIENCE);
            }
            return channel;
        } catch (IOException e) {
            throw CortexException.of(
                            ErrorCode.GUEST_LOST, "the stream to port " + port + " broke before it began", "try again")
                    .because(e);
        } finally {
            if (!opened) {
                deadline.cancel(false);
                Watchdog.close(channel);
            }
        }
    }

    private static void accept(Optional<Frame> answer) throws IOException {
        switch (answer.orElseThrow(() -> new IOException("the guest ended the stream"))) {
            case Frame.HandshakeAck ack -> {}
            case Frame.Error refusal -> throw explained(Refusal.of(refusal));
            default -> throw new IOException("the guest sent a frame that has no place there");
        }
    }

    private static CortexException explained(CortexException refusal) {
        String remedy = switch (refusal.code()) {
            case NOT_READY -> "start a server inside that listens on 127.0.0.1, ::1 or all addresses";
            case CAPACITY -> "close some of the connections into it first";
            case UNSUPPORTED -> "stop and start the sandbox: it then gets this daemon's neuron";
            default -> "";
        };
        return CortexException.of(refusal.code(), refusal.getMessage(), remedy);
    }
}
