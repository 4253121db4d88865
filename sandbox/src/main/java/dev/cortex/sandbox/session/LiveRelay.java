package dev.cortex.sandbox.session;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.protocol.wire.Frame;
import dev.cortex.protocol.wire.FrameChannel;
import dev.cortex.protocol.wire.FrameException;
import dev.cortex.protocol.wire.FrameRelay;
import dev.cortex.protocol.wire.FrameRelay.End;
import dev.cortex.protocol.wire.FrameRelay.Side;
import dev.cortex.sandbox.guest.Guest;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * Between a client and a session that its neuron holds: frames as they come, both ways, each direction a thread. What
 * the guest sends is checked by the codec before it goes on.
 */
public final class LiveRelay implements Relay {
    private final Guest guest;
    private final String session;
    private final Runnable exitDelivered;
    private final Runnable bytesCame;
    private final Supplier<Optional<CortexException>> over;

    /**
     * @param exitDelivered called when a client that holds the session has been given its Exit
     * @param bytesCame called for each piece that the client sends
     * @param over asked when the guest's stream breaks: why there will be none any more, if that is so
     */
    public LiveRelay(
            Guest guest,
            String session,
            Runnable exitDelivered,
            Runnable bytesCame,
            Supplier<Optional<CortexException>> over) {
        this.guest = guest;
        this.session = session;
        this.exitDelivered = exitDelivered;
        this.bytesCame = bytesCame;
        this.over = over;
    }

    @Override
    public void run(FrameChannel client) throws IOException {
        Optional<Frame.Handshake> asked = Handshakes.read(client, Handshakes.WITHIN);
        if (asked.isEmpty()) {
            return;
        }
        Frame.Handshake handshake = asked.get();
        FrameChannel data;
        try {
            data = guest.data();
            data.write(new Frame.Handshake(handshake.kind(), handshake.mode(), handshake.cursor(), session));
        } catch (CortexException e) {
            Handshakes.tell(
                    client, e.code() == ErrorCode.GUEST_LOST ? over.get().orElse(e) : e);
            return;
        } catch (IOException e) {
            tellLost(client);
            return;
        }
        try (data) {
            relay(client, data, handshake.mode());
        }
    }

    private void relay(FrameChannel client, FrameChannel data, Frame.Mode mode) throws IOException {
        AtomicBoolean clientLeft = new AtomicBoolean();
        Thread.ofVirtual().name("stdin of " + session).start(() -> {
            try {
                FrameRelay.relay(client, data, Side.HOST, bytes -> bytesCame.run());
            } catch (FrameException e) {
                tellQuietly(client, e);
            } catch (IOException e) {
                // Either side is gone, and the other direction ends too.
                return;
            } finally {
                clientLeft.set(true);
                close(data);
            }
        });
        End end;
        try {
            end = FrameRelay.relay(data, client, Side.GUEST, bytes -> {});
        } catch (FrameException e) {
            Handshakes.tell(client, ErrorCode.GUEST_LOST, "the guest broke the protocol: " + e.getMessage());
            return;
        } catch (IOException e) {
            if (!clientLeft.get()) {
                tellLost(client);
            }
            return;
        }
        if (end == End.EXIT && mode != Frame.Mode.OBSERVE) {
            exitDelivered.run();
        } else if (end == End.CLOSED && !clientLeft.get()) {
            tellLost(client);
        }
    }

    private static void tellQuietly(FrameChannel client, FrameException broken) {
        try {
            Handshakes.tell(client, ErrorCode.INVALID_ARGUMENT, String.valueOf(broken.getMessage()));
        } catch (IOException e) {
            System.getLogger(LiveRelay.class.getName()).log(System.Logger.Level.DEBUG, "the client is gone", e);
        }
    }

    private void tellLost(FrameChannel client) throws IOException {
        CortexException broke = CortexException.of(
                ErrorCode.GUEST_LOST, "the stream to " + session + " broke; attach again from your cursor", "");
        Handshakes.tell(client, over.get().orElse(broke));
    }

    private static void close(FrameChannel data) {
        try {
            data.close();
        } catch (IOException e) {
            System.getLogger(LiveRelay.class.getName()).log(System.Logger.Level.DEBUG, "closing a data stream", e);
        }
    }
}
