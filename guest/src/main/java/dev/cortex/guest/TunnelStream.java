package dev.cortex.guest;

import dev.cortex.protocol.wire.Frame;
import dev.cortex.protocol.wire.FrameChannel;
import dev.cortex.sandbox.guest.GuestTunnel;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Future;

/** One allowed connection over a data stream of kind {@code egress}. */
final class TunnelStream implements GuestTunnel {
    private final FrameChannel channel;
    private final Dial dial;

    private TunnelStream(FrameChannel channel, Dial dial) {
        this.channel = channel;
        this.dial = dial;
    }

    /** Opens it on a channel, which is closed with it, and when it is refused. */
    static TunnelStream open(FrameChannel channel, Dial dial, long number) {
        String id = Long.toUnsignedString(number);
        Handshake.shake(channel, new Frame.Handshake(Frame.Kind.EGRESS, Frame.Mode.OBSERVE, 0, id), dial);
        return new TunnelStream(channel, dial);
    }

    @Override
    public Optional<ByteBuffer> read() throws IOException {
        Frame frame = channel.read().orElseThrow(() -> new IOException("the guest ended the stream"));
        return switch (frame) {
            case Frame.Data data when data.tag() == Frame.Tag.STDOUT -> Optional.of(data.bytes());
            case Frame.Eof eof -> Optional.empty();
            case Frame.Error error -> throw new IOException(Refusal.of(error).getMessage());
            default -> throw new IOException("a frame that has no place in a connection");
        };
    }

    @Override
    public void write(ByteBuffer bytes) throws IOException {
        int end = bytes.limit();
        while (bytes.position() < end) {
            bytes.limit(Math.min(end, bytes.position() + Frame.DATA_BYTES));
            channel.write(new Frame.Data(Frame.Tag.STDIN, bytes));
        }
        bytes.limit(end);
    }

    @Override
    public void endOutput() throws IOException {
        channel.write(new Frame.Eof());
    }

    @Override
    public void awaitDelivered(Duration most) {
        Future<?> deadline = dial.watchdog().closeAfter(most, channel);
        try {
            // An Exit, an Error or the end: whichever it is, there is nothing left to do.
            Optional<Frame> last = channel.read();
            if (last.isPresent()) {
                Watchdog.close(channel);
            }
        } catch (IOException e) {
            Watchdog.close(channel);
        } finally {
            deadline.cancel(false);
        }
    }

    @Override
    public void close() {
        Watchdog.close(channel);
    }
}
