package dev.cortex.daemon.http;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Interrupts a handler whose client went away. HTTP/1.1 has nobody read a connection while its request is handled, so
 * this looks now and then whether the end of the stream has come. Must be closed before the connection is read again.
 */
final class DisconnectWatch implements AutoCloseable {
    /** Answers that take less are never looked after. */
    private static final Duration INTERVAL = Duration.ofMillis(50);

    private final SocketChannel socket;
    private final Thread handler;
    private final ReentrantLock lock = new ReentrantLock();
    private boolean active = true;
    private Optional<Byte> early = Optional.empty();

    private DisconnectWatch(SocketChannel socket, Thread handler) {
        this.socket = socket;
        this.handler = handler;
    }

    /** Watches the client of the request that the current thread handles; its body must have been read. */
    static DisconnectWatch start(SocketChannel socket) {
        DisconnectWatch watch = new DisconnectWatch(socket, Thread.currentThread());
        Thread.ofVirtual().name("disconnect-watch").start(watch::run);
        return watch;
    }

    private void run() {
        ByteBuffer one = ByteBuffer.allocate(1);
        try {
            do {
                Thread.sleep(INTERVAL);
            } while (look(one));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Whether to go on. */
    private boolean look(ByteBuffer one) {
        lock.lock();
        try {
            if (!active) {
                return false;
            }
            int read = socket.read(one);
            if (read == 0) {
                return true;
            }
            active = false;
            if (read < 0) {
                handler.interrupt();
            } else {
                early = Optional.of(one.get(0));
            }
            return false;
        } catch (IOException e) {
            active = false;
            handler.interrupt();
            return false;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Stops watching.
     *
     * @return the byte that this took of what the client sent early, if it did. Behind an upgrade it is the first that
     *     was not read along with the request. Of a next request it is missing: the connection cannot go on behind this
     *     answer, which HTTP allows
     */
    Optional<Byte> stop() {
        lock.lock();
        try {
            active = false;
            return early;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        stop();
    }
}
