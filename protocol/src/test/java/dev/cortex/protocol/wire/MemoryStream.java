package dev.cortex.protocol.wire;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;

/** A stream that gives its bytes in pieces of a chosen size, takes writes likewise, and keeps what was written. */
final class MemoryStream implements ByteChannel {
    private final ByteBuffer source;
    private final int piece;
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private boolean open = true;

    MemoryStream(byte[] source, int piece) {
        this.source = ByteBuffer.wrap(source);
        this.piece = piece;
    }

    byte[] written() {
        return written.toByteArray();
    }

    @Override
    public int read(ByteBuffer to) {
        if (!source.hasRemaining()) {
            return -1;
        }
        int length = Math.min(Math.min(piece, to.remaining()), source.remaining());
        to.put(source.slice(source.position(), length));
        source.position(source.position() + length);
        return length;
    }

    @Override
    public int write(ByteBuffer from) {
        int length = Math.min(piece, from.remaining());
        byte[] bytes = new byte[length];
        from.get(bytes);
        written.writeBytes(bytes);
        return length;
    }

    @Override
    public boolean isOpen() {
        return open;
    }

    @Override
    public void close() {
        open = false;
    }
}
