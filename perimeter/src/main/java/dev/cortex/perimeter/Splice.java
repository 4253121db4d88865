package dev.cortex.perimeter;

import dev.cortex.sandbox.guest.GuestTunnel;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Optional;

/**
 * A program's connection and a remote's that have been put together. Each direction waits for the slower of its two ends,
 * holds one buffer, and ends by itself.
 */
final class Splice {
    /** After both directions have ended: a program that does not read its last bytes by then never will. */
    private static final Duration DELIVERED = Duration.ofMinutes(2);

    private final GuestTunnel tunnel;
    private final SocketChannel remote;
    private final Buffers buffers;
    private final Totals totals;

    Splice(GuestTunnel tunnel, SocketChannel remote, Buffers buffers, Totals totals) {
        this.tunnel = tunnel;
        this.remote = remote;
        this.buffers = buffers;
        this.totals = totals;
    }

    /**
     * Passes bytes until both directions have ended. Closing either end from another thread ends it.
     *
     * @throws IOException when one end breaks; both are closed then
     */
    void run() throws IOException {
        Outgoing outgoing = new Outgoing();
        Thread thread = Thread.ofVirtual().name("egress-out").start(outgoing);
        try {
            receive();
        } catch (IOException e) {
            abandon();
            join(thread);
            throw outgoing.failure.orElse(e);
        }
        join(thread);
        if (outgoing.failure.isPresent()) {
            throw outgoing.failure.get();
        }
        tunnel.awaitDelivered(DELIVERED);
    }

    private void receive() throws IOException {
        ByteBuffer buffer = buffers.take();
        try {
            while (remote.read(buffer.clear()) >= 0) {
                totals.received(buffer.position());
                tunnel.write(buffer.flip());
            }
        } finally {
            buffers.give(buffer);
        }
        tunnel.endOutput();
    }

    private final class Outgoing implements Runnable {
        private volatile Optional<IOException> failure = Optional.empty();

        @Override
        public void run() {
            try {
                for (Optional<ByteBuffer> next = tunnel.read(); next.isPresent(); next = tunnel.read()) {
                    ByteBuffer bytes = next.get();
                    while (bytes.hasRemaining()) {
                        totals.sent(remote.write(bytes));
                    }
                }
                remote.shutdownOutput();
            } catch (IOException e) {
                failure = Optional.of(e);
                abandon();
            }
        }
    }

    /** A reset on both sides: what was cut off must not look like an end. */
    private void abandon() {
        try (remote) {
            remote.setOption(StandardSocketOptions.SO_LINGER, 0);
        } catch (IOException e) {
            // It is closed already.
        }
        tunnel.close();
    }

    private static void join(Thread thread) {
        boolean interrupted = false;
        while (true) {
            try {
                thread.join();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
