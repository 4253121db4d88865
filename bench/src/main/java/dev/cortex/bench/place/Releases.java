package dev.cortex.bench.place;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * What a run has made and has to clear away: last in first out, each once, whether the run ends, fails or is
 * interrupted. Thread-safe.
 */
public final class Releases implements AutoCloseable {
    private final Deque<AutoCloseable> open = new ArrayDeque<>();

    public synchronized <T extends AutoCloseable> T add(T resource) {
        open.push(resource);
        return resource;
    }

    /** For what was closed by its owner already. */
    public synchronized void forget(AutoCloseable resource) {
        open.remove(resource);
    }

    @Override
    public synchronized void close() {
        while (!open.isEmpty()) {
            try {
                open.pop().close();
            } catch (Exception e) {
                System.err.println("bench: clearing away: " + e.getMessage());
            }
        }
    }
}
