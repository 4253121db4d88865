package dev.cortex.daemon.http;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.util.thread.Scheduler;

/** Jetty's end of a connection, from which the socket itself can be taken once HTTP is over. */
final class RawEndPoint extends SocketChannelEndPoint {
    /** The selector forgets a cancelled key in its next round, which a wake-up starts at once. */
    private static final Duration FORGOTTEN_WITHIN = Duration.ofSeconds(5);

    private final SelectionKey key;

    RawEndPoint(SocketChannel channel, ManagedSelector selector, SelectionKey key, Scheduler scheduler) {
        super(channel, selector, key, scheduler);
        this.key = key;
    }

    /**
     * The socket, blocking and out of Jetty's hands. Blocking calls on virtual threads relay at full speed, which going
     * through a selector does not. Closing this end point still closes it.
     */
    SocketChannel takeSocket() throws IOException {
        SocketChannel socket = getChannel();
        key.cancel();
        long end = System.nanoTime() + FORGOTTEN_WITHIN.toNanos();
        while (socket.isRegistered()) {
            key.selector().wakeup();
            if (System.nanoTime() > end) {
                throw new IOException("the selector does not give the socket back");
            }
            Thread.onSpinWait();
            Thread.yield();
        }
        socket.configureBlocking(true);
        return socket;
    }
}
