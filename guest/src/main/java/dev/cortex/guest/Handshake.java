package dev.cortex.guest;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.protocol.wire.Frame;
import dev.cortex.protocol.wire.FrameChannel;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.Future;

/** The first frames of a data stream that the host itself uses. */
final class Handshake {
    private Handshake() {}

    /**
     * Sends the Handshake and waits for the answer, no longer than for one to a Hello. Closes the channel unless it is
     * acknowledged.
     *
     * @throws CortexException the guest's refusal; GUEST_LOST when there is no answer, or something else
     */
    static void shake(FrameChannel channel, Frame.Handshake handshake, Dial dial) {
        Future<?> deadline = dial.watchdog().closeAfter(dial.patience(), channel);
        boolean acknowledged = false;
        try {
            channel.write(handshake);
            Optional<Frame> answer = channel.read();
            if (answer.isPresent() && answer.get() instanceof Frame.Error error) {
                throw Refusal.of(error);
            }
            if (answer.isEmpty() || !(answer.get() instanceof Frame.HandshakeAck)) {
                throw new IOException("no answer to the handshake");
            }
            acknowledged = true;
        } catch (IOException e) {
            throw CortexException.of(ErrorCode.GUEST_LOST, "the guest does not answer on its data stream", "")
                    .because(e);
        } finally {
            deadline.cancel(false);
            if (!acknowledged) {
                Watchdog.close(channel);
            }
        }
    }
}
