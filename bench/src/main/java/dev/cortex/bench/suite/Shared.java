package dev.cortex.bench.suite;

import java.util.ArrayList;
import java.util.List;

/** One thing that several contenders of a measure use: made by the first that asks, closed by the last that lets go. */
final class Shared<T extends AutoCloseable> {
    /** Makes it. */
    interface Maker<T> {
        T make() throws Exception;
    }

    private final Maker<T> maker;
    private final List<T> made = new ArrayList<>();
    private int users;

    Shared(Maker<T> maker) {
        this.maker = maker;
    }

    T take() throws Exception {
        if (made.isEmpty()) {
            made.add(maker.make());
        }
        users++;
        return made.getFirst();
    }

    void release() throws Exception {
        if (--users == 0) {
            made.removeFirst().close();
        }
    }
}
