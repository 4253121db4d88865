package dev.cortex.perimeter;

import dev.cortex.sandbox.perimeter.Decision.Verdict;
import dev.cortex.sandbox.perimeter.EgressTotals;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Counts what all gates do together. Thread-safe, and cheap enough for every buffer. */
final class Totals {
    private final Map<Verdict, LongAdder> decisions = new ConcurrentHashMap<>();

    private final LongAdder open = new LongAdder();
    private final LongAdder out = new LongAdder();
    private final LongAdder in = new LongAdder();

    void decided(Verdict verdict) {
        decisions.computeIfAbsent(verdict, any -> new LongAdder()).increment();
    }

    void opened() {
        open.increment();
    }

    void closed() {
        open.decrement();
    }

    /** Bytes of a sandbox's that left. */
    void sent(int bytes) {
        out.add(bytes);
    }

    /** Bytes that came for a sandbox. */
    void received(int bytes) {
        in.add(bytes);
    }

    EgressTotals now() {
        Map<Verdict, Long> counted = new EnumMap<>(Verdict.class);
        decisions.forEach((verdict, count) -> counted.put(verdict, count.sum()));
        return new EgressTotals(counted, open.sum(), out.sum(), in.sum());
    }
}
