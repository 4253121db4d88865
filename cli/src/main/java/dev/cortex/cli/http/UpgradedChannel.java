package dev.cortex.cli.http;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.GatheringByteChannel;

/** A connection after its upgrade. What came in one read with the answer's head is given out first. */
final class UpgradedChannel implements ByteChannel, GatheringByteChannel {
    private final Connection connection;

    UpgradedChannel(Connection connection) {
        this.connection = connection;
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        ByteBuffer early = connection.input();
        if (!early.hasRemaining()) {
            return connection.channel().read(target);
        }
        int bytes = Math.min(early.remaining(), target.remaining());
        target.put(early.slice(early.position(), bytes));
        early.position(early.position() + bytes);
        return bytes;
    }

    @Override
    public int write(ByteBuffer bytes) throws IOException {
        return connection.channel().write(bytes);
    }

    @Override
    public long write(ByteBuffer[] buffers, int offset, int length) throws IOException {
        return connection.channel().write(buffers, offset, length);
    }

    @Override
    public long write(ByteBuffer[] buffers) throws IOException {
        return connection.channel().write(buffers);
    }

    @Override
    public boolean isOpen() {
        return connection.channel().isOpen();
    }

    @Override
    public void close() throws IOException {
        connection.close();
    }
}
