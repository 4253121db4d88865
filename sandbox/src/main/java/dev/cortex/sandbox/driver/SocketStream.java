package dev.cortex.sandbox.driver;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** A stream over a connected, blocking socket. */
public record SocketStream(SocketChannel socket) implements GuestStream {
    @Override
    public int read(ByteBuffer to) throws IOException {
        return socket.read(to);
    }

    @Override
    public int write(ByteBuffer from) throws IOException {
        return socket.write(from);
    }

    @Override
    public long write(ByteBuffer[] from, int offset, int length) throws IOException {
        return socket.write(from, offset, length);
    }

    @Override
    public long write(ByteBuffer[] from) throws IOException {
        return socket.write(from);
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
