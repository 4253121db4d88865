package dev.cortex.perimeter;

import dev.cortex.sandbox.perimeter.Decision.Verdict;
import dev.cortex.sandbox.perimeter.EgressTotals;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Counts what all gates do together. Thread-safe, and cheap enough for every buffer. */
final class Totals {
    private final Map<Verdict, LongAdder> decisions =
            Arrays.stream(Verdict.values()).collect(Collectors.toMap(Function.identity(), any -> new LongAdder()));

    private final LongAdder open = new LongAdder();
    private final LongAdder out = new LongAdder();
    private final LongAdder in = new LongAdder();

    void decided(Verdict verdict) {
        decisions.get(verdict).increment();
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
        Map<Verdict, Long> counted = decisions.entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey, entry -> entry.getValue().sum()));
        return new EgressTotals(counted, open.sum(), out.sum(), in.sum());
    }
}
