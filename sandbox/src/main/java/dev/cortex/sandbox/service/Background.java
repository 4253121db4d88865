package dev.cortex.sandbox.service;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The core's own virtual threads. Closing interrupts them and refuses new ones; what they left undone is recovered. */
final class Background implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("dev.cortex.sandbox");

    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    void start(String name, Runnable work) {
        Thread thread = Thread.ofVirtual().name(name).unstarted(() -> {
            try {
                work.run();
            } catch (RuntimeException e) {
                if (!closed) {
                    LOG.log(System.Logger.Level.WARNING, name + " ended early", e);
                }
            } finally {
                threads.remove(Thread.currentThread());
            }
        });
        threads.add(thread);
        if (closed) {
            threads.remove(thread);
            return;
        }
        thread.start();
    }

    boolean closed() {
        return closed;
    }

    /** False when it was closed meanwhile. */
    boolean sleep(Duration time) {
        try {
            Thread.sleep(time);
            return !closed;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Override
    public void close() {
        closed = true;
        threads.forEach(Thread::interrupt);
    }
}
