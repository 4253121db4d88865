package dev.cortex.testkit.guest;

import dev.cortex.sandbox.driver.GuestStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.function.Supplier;

/** Streams over a Unix socket, as a test dials them. */
public record SocketGuestStream(SocketChannel socket) implements GuestStream {
    /** Dials that socket for each stream. */
    public static Supplier<GuestStream> dialer(Path socket) {
        return () -> {
            try {
                return new SocketGuestStream(SocketChannel.open(UnixDomainSocketAddress.of(socket)));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        };
    }

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
