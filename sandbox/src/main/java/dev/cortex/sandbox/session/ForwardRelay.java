package dev.cortex.sandbox.session;

import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.protocol.wire.FrameChannel;
import dev.cortex.protocol.wire.FrameException;
import dev.cortex.protocol.wire.FrameRelay;
import dev.cortex.protocol.wire.FrameRelay.End;
import dev.cortex.protocol.wire.FrameRelay.Side;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongConsumer;

/**
 * Between a client and a port of a sandbox: frames as they come, both ways, each direction a thread. The client sends no
 * Handshake; its first frame is Data or Eof. A client that leaves before the Exit breaks the connection inside off.
 */
public final class ForwardRelay implements Relay {
    private final FrameChannel inside;
    private final LongConsumer traffic;

    /**
     * @param inside behind its HandshakeAck; closed at the end
     * @param traffic told how many bytes have just gone through, by either direction's thread
     */
    public ForwardRelay(FrameChannel inside, LongConsumer traffic) {
        this.inside = inside;
        this.traffic = traffic;
    }

    @Override
    public void run(FrameChannel client) throws IOException {
        try (inside) {
            AtomicBoolean clientLeft = new AtomicBoolean();
            Thread.ofVirtual().name("forward-inward").start(() -> inward(client, clientLeft));
            outward(client, clientLeft);
        }
    }

    private void inward(FrameChannel client, AtomicBoolean clientLeft) {
        try {
            FrameRelay.relay(client, inside, Side.HOST, traffic);
        } catch (FrameException e) {
            tellQuietly(client, e);
        } catch (IOException e) {
            // Either side is gone, and the other direction ends too.
            return;
        } finally {
            clientLeft.set(true);
            closeInside();
        }
    }

    private void outward(FrameChannel client, AtomicBoolean clientLeft) throws IOException {
        try {
            End end = FrameRelay.relay(inside, client, Side.GUEST, traffic);
            if (end == End.CLOSED && !clientLeft.get()) {
                tellLost(client);
            }
        } catch (FrameException e) {
            Handshakes.tell(client, ErrorCode.GUEST_LOST, "the guest broke the protocol: " + e.getMessage());
        } catch (IOException e) {
            if (!clientLeft.get()) {
                tellLost(client);
            }
        }
    }

    private static void tellLost(FrameChannel client) throws IOException {
        Handshakes.tell(client, ErrorCode.GUEST_LOST, "the connection into the sandbox was lost");
    }

    private static void tellQuietly(FrameChannel client, FrameException broken) {
        try {
            Handshakes.tell(client, ErrorCode.INVALID_ARGUMENT, String.valueOf(broken.getMessage()));
        } catch (IOException e) {
            System.getLogger(ForwardRelay.class.getName()).log(System.Logger.Level.DEBUG, "the client is gone", e);
        }
    }

    private void closeInside() {
        try {
            inside.close();
        } catch (IOException e) {
            System.getLogger(ForwardRelay.class.getName()).log(System.Logger.Level.DEBUG, "closing a forward", e);
        }
    }
}
