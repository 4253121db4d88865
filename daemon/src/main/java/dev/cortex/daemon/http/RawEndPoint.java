package dev.cortex.daemon.http;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.util.thread.Scheduler;

/** Jetty's end of a connection, from which the socket itself can be taken once HTTP is over. */
final class RawEndPoint extends SocketChannelEndPoint {
    /** The selector forgets a cancelled key in its next round, which a wake-up starts at once. */
    private static final Duration FORGOTTEN_WITHIN = Duration.ofSeconds(5);

    private final SelectionKey key;
    private final ReentrantLock lock = new ReentrantLock();
    private boolean taken;

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
        forget();
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

    private void forget() {
        lock.lock();
        try {
            taken = true;
            key.cancel();
        } finally {
            lock.unlock();
        }
    }

    /**
     * The selector's thread says so at the end of the round in which the request came, and an operation may be answered
     * and its socket taken before that. Jetty closes an end point whose key it then finds cancelled.
     */
    @Override
    public void updateKey() {
        lock.lock();
        try {
            if (!taken) {
                super.updateKey();
            }
        } finally {
            lock.unlock();
        }
    }
}
