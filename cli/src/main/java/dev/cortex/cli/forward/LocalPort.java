package dev.cortex.cli.forward;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.function.Consumer;

/** A port of this machine that is listened on. */
final class LocalPort implements AutoCloseable {
    private final PortPair pair;
    private final ServerSocketChannel listener;
    private final InetSocketAddress bound;

    private LocalPort(PortPair pair, ServerSocketChannel listener, InetSocketAddress bound) {
        this.pair = pair;
        this.listener = listener;
        this.bound = bound;
    }

    /**
     * @throws CortexException ALREADY_EXISTS when the port is taken, DENIED when it may not be had
     */
    static LocalPort listen(InetAddress address, PortPair pair) {
        try {
            ServerSocketChannel listener = ServerSocketChannel.open();
            try {
                listener.bind(new InetSocketAddress(address, pair.outside()));
                return new LocalPort(pair, listener, (InetSocketAddress) listener.getLocalAddress());
            } catch (IOException | RuntimeException e) {
                listener.close();
                throw e;
            }
        } catch (IOException e) {
            throw refused(address, pair, e);
        }
    }

    private static CortexException refused(InetAddress address, PortPair pair, IOException e) {
        String place = address.getHostAddress() + " port " + pair.outside();
        String free = pair.inside() + ":0";
        String words = String.valueOf(e.getMessage());
        if (e instanceof BindException && words.contains("in use")) {
            return CortexException.of(
                    ErrorCode.ALREADY_EXISTS,
                    place + " is taken by another program",
                    "choose another: " + pair.inside() + ":PORT        or any that is free: " + free);
        }
        if (e instanceof SocketException && words.contains("ermission")) {
            return CortexException.of(
                    ErrorCode.DENIED, "you may not listen on " + place, "choose one above 1023, or any: " + free);
        }
        return CortexException.of(
                        ErrorCode.INVALID_ARGUMENT,
                        "nobody can listen on " + place,
                        "choose an address of this machine")
                .because(e);
    }

    PortPair pair() {
        return pair;
    }

    InetSocketAddress bound() {
        return bound;
    }

    /** Hands on each connection, until this is closed. */
    void accept(Consumer<SocketChannel> connection) throws IOException {
        while (listener.isOpen()) {
            connection.accept(listener.accept());
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }
}
