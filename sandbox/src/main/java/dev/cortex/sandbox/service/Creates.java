package dev.cortex.sandbox.service;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/** Creates in flight, so that whoever only prepares waits for them. Thread-safe. */
final class Creates {
    /** Whoever has made a sandbox uses it at once, and may make another. */
    private static final Duration CALM = Duration.ofMillis(20);

    private final AtomicInteger underWay = new AtomicInteger();
    private volatile long lastEnd = System.nanoTime() - CALM.toNanos();

    Turn turn() {
        underWay.incrementAndGet();
        return () -> {
            lastEnd = System.nanoTime();
            underWay.decrementAndGet();
        };
    }

    /** How long to wait before it can be calm; zero when it is. */
    Duration untilCalm() {
        if (underWay.get() > 0) {
            return CALM;
        }
        long left = CALM.toNanos() - (System.nanoTime() - lastEnd);
        return left > 0 ? Duration.ofNanos(left) : Duration.ZERO;
    }

    /** One create. */
    interface Turn extends AutoCloseable {
        @Override
        void close();
    }
}
