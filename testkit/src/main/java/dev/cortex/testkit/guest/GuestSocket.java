package dev.cortex.testkit.guest;

import dev.cortex.sandbox.driver.GuestStream;
import dev.cortex.sandbox.driver.SocketStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.function.Supplier;

/** A neuron's Unix socket, as a test dials it. */
public final class GuestSocket {
    private GuestSocket() {}

    /** Dials that socket for each stream. */
    public static Supplier<GuestStream> dialer(Path socket) {
        return () -> {
            try {
                return new SocketStream(SocketChannel.open(UnixDomainSocketAddress.of(socket)));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        };
    }
}
