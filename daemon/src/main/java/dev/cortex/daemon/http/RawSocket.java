package dev.cortex.daemon.http;

import dev.cortex.daemon.metrics.ClientTraffic;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.SocketChannel;

/**
 * A client's socket behind an upgrade.
 *
 * @param early what had been read of it before
 * @param clients where its bytes are counted
 */
record RawSocket(SocketChannel socket, ByteBuffer early, ClientTraffic clients)
        implements ByteChannel, GatheringByteChannel {
    /** One whose client is gone. */
    static final ByteChannel CLOSED = new ByteChannel() {
        @Override
        public int read(ByteBuffer to) {
            return -1;
        }

        @Override
        public int write(ByteBuffer from) throws IOException {
            throw new ClosedChannelException();
        }

        @Override
        public boolean isOpen() {
            return false;
        }

        @Override
        public void close() {}
    };

    @Override
    public int read(ByteBuffer to) throws IOException {
        if (!early.hasRemaining()) {
            int read = socket.read(to);
            clients.received(read);
            return read;
        }
        int count = Math.min(early.remaining(), to.remaining());
        to.put(early.slice(early.position(), count));
        early.position(early.position() + count);
        clients.received(count);
        return count;
    }

    @Override
    public int write(ByteBuffer from) throws IOException {
        int written = socket.write(from);
        clients.sent(written);
        return written;
    }

    @Override
    public long write(ByteBuffer[] from, int offset, int length) throws IOException {
        long written = socket.write(from, offset, length);
        clients.sent(written);
        return written;
    }

    @Override
    public long write(ByteBuffer[] from) throws IOException {
        return write(from, 0, from.length);
    }

    @Override
    public boolean isOpen() {
        return socket.isOpen();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
