package dev.cortex.sandbox.service;

import dev.cortex.sandbox.spare.SpareTotals;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** What became of spares since this process began. Thread-safe. */
final class SpareCounts {
    private final LongAdder handedOut = new LongAdder();
    private final LongAdder missed = new LongAdder();
    private final LongAdder filled = new LongAdder();
    private final LongAdder failed = new LongAdder();

    void handedOut() {
        handedOut.increment();
    }

    void missed() {
        missed.increment();
    }

    void filled() {
        filled.increment();
    }

    void failed() {
        failed.increment();
    }

    SpareTotals with(Map<String, Long> ready) {
        return new SpareTotals(ready, handedOut.sum(), missed.sum(), filled.sum(), failed.sum());
    }
}
