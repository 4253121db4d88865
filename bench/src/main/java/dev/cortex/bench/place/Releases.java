package dev.cortex.bench.place;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * What a run has made and has to clear away: last in first out, each once, whether the run ends, fails or is
 * interrupted. Thread-safe.
 */
public final class Releases implements AutoCloseable {
    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private volatile boolean over;

    /** @throws IOException when the run is over; the resource is closed then */
    public synchronized <T extends AutoCloseable> T add(T resource) throws IOException {
        open.push(resource);
        if (over) {
            close();
            throw new IOException("the run is over");
        }
        return resource;
    }

    /** Whether nothing new is to be begun. */
    public boolean isOver() {
        return over;
    }

    /** Nothing new is to be begun from now on; what is there stays until it is closed. */
    public void stop() {
        over = true;
    }

    @Override
    public synchronized void close() {
        over = true;
        while (!open.isEmpty()) {
            try {
                open.pop().close();
            } catch (Exception e) {
                System.err.println("bench: clearing away: " + e.getMessage());
            }
        }
    }
}
