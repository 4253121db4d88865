package dev.cortex.guest;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.protocol.wire.Change;
import dev.cortex.protocol.wire.Frame;
import dev.cortex.protocol.wire.FrameChannel;
import dev.cortex.sandbox.guest.FileWatch;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Future;

/** A watch over its own data stream. */
final class WatchStream implements FileWatch {
    /** The neuron walks the whole tree first, ten times what 16,384 folders take on a busy disk. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final FrameChannel channel;

    private WatchStream(FrameChannel channel) {
        this.channel = channel;
    }

    /** Returns once the neuron watches. */
    static WatchStream open(FrameChannel channel, String id, Watchdog watchdog) {
        Future<?> deadline = watchdog.closeAfter(PATIENCE, channel);
        boolean opened = false;
        try {
            channel.write(new Frame.Handshake(Frame.Kind.WATCH, Frame.Mode.OBSERVE, 0, id));
            if (!(next(channel) instanceof Frame.HandshakeAck)) {
                throw misplaced();
            }
            opened = true;
            return new WatchStream(channel);
        } catch (IOException e) {
            throw lost(e);
        } finally {
            deadline.cancel(false);
            if (!opened) {
                Watchdog.close(channel);
            }
        }
    }

    @Override
    public Optional<List<Change>> next() {
        try {
            return switch (next(channel)) {
                case Frame.Data data when data.tag() == Frame.Tag.STDOUT -> Optional.of(Change.decodeAll(data.bytes()));
                case Frame.Exit exit -> Optional.empty();
                default -> throw misplaced();
            };
        } catch (IOException e) {
            close();
            throw lost(e);
        }
    }

    private static Frame next(FrameChannel channel) throws IOException {
        Frame frame = channel.read().orElseThrow(() -> new IOException("the guest ended the stream"));
        if (frame instanceof Frame.Error error) {
            throw Refusal.of(error);
        }
        return frame;
    }

    private static IOException misplaced() {
        return new IOException("the guest sent a frame that has no place in a watch");
    }

    private static CortexException lost(IOException reason) {
        return CortexException.of(ErrorCode.GUEST_LOST, "the watch's stream to the guest broke", "watch again")
                .because(reason);
    }

    @Override
    public void close() {
        Watchdog.close(channel);
    }
}
