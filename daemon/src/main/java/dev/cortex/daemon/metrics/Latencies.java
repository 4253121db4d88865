package dev.cortex.daemon.metrics;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;

/** A histogram of durations. Thread-safe. */
final class Latencies {
    /**
     * Upper ends in seconds. The promises lie among them: an exec of 3 ms, a create from the pool of 5 ms, `ls` of 120 ms,
     * a cold create of some hundred.
     */
    static final List<Double> SECONDS = List.of(
            0.001, 0.002, 0.003, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 300.0);

    private static final double NANOS = 1e9;

    private final AtomicLongArray counts = new AtomicLongArray(SECONDS.size() + 1);
    private final LongAdder nanos = new LongAdder();

    void add(long duration) {
        counts.incrementAndGet(bucket(duration / NANOS));
        nanos.add(duration);
    }

    private static int bucket(double seconds) {
        int bucket = 0;
        while (bucket < SECONDS.size() && seconds > SECONDS.get(bucket)) {
            bucket++;
        }
        return bucket;
    }

    /** How many fell into each bucket; the last has no upper end. */
    List<Long> counts() {
        List<Long> all = new ArrayList<>();
        for (int i = 0; i < counts.length(); i++) {
            all.add(counts.get(i));
        }
        return all;
    }

    double sumSeconds() {
        return nanos.sum() / NANOS;
    }
}
