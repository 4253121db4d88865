package dev.cortex.guest;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.protocol.wire.FrameChannel;
import dev.cortex.protocol.wire.FrameChannels;
import dev.cortex.protocol.wire.Hello;
import dev.cortex.sandbox.driver.GuestStream;
import dev.cortex.sandbox.guest.GuestToken;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** The data streams of one guest that are open, so that closing the guest closes them. */
final class DataStreams {
    private final Dial dial;
    private final Supplier<GuestToken> token;
    private final Set<Open> streams = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    DataStreams(Dial dial, Supplier<GuestToken> token) {
        this.dial = dial;
        this.token = token;
    }

    FrameChannel open() {
        return FrameChannels.over(stream());
    }

    /** For streams of which there are many, or that are silent for the most part. */
    FrameChannel openSparing() {
        return FrameChannels.sparing(stream());
    }

    private Open stream() {
        Open stream = new Open(dial.open(Hello.Purpose.DATA, token.get()));
        streams.add(stream);
        // Looked at after the stream was added: whoever closes meanwhile either sees it or is seen here.
        if (closed) {
            Watchdog.close(stream);
            throw CortexException.of(ErrorCode.GUEST_LOST, "this connection to the guest was closed", "");
        }
        return stream;
    }

    void close() {
        closed = true;
        streams.forEach(Watchdog::close);
    }

    private final class Open implements GuestStream {
        private final GuestStream stream;

        Open(GuestStream stream) {
            this.stream = stream;
        }

        @Override
        public int read(ByteBuffer to) throws IOException {
            return stream.read(to);
        }

        @Override
        public int write(ByteBuffer from) throws IOException {
            return stream.write(from);
        }

        @Override
        public long write(ByteBuffer[] from, int offset, int length) throws IOException {
            return stream.write(from, offset, length);
        }

        @Override
        public long write(ByteBuffer[] from) throws IOException {
            return stream.write(from);
        }

        @Override
        public boolean isOpen() {
            return stream.isOpen();
        }

        @Override
        public void close() throws IOException {
            streams.remove(this);
            stream.close();
        }
    }
}
