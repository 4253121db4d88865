package dev.cortex.daemon.metrics;

import dev.cortex.protocol.error.ErrorCode;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Counts what was asked for, how it ended and how long it took. Thread-safe; a request costs some tens of nanoseconds. */
public final class ServedRequests {
    /** The code of an answer that is no error. */
    static final String OK = "OK";

    /** Stands for the operation of a request that meant none. */
    static final String NONE = "none";

    private final Map<Outcome, LongAdder> outcomes = new ConcurrentHashMap<>();
    private final Map<String, Latencies> latencies = new ConcurrentHashMap<>();

    /** How an operation ended; both words are ours, so that there is a bounded number of them. */
    record Outcome(String operation, String code) {}

    /**
     * @param operation name of the operation, empty where the request meant none
     * @param nanos until its answer was complete; of an upgrade, until it began
     */
    public void add(String operation, Optional<ErrorCode> error, long nanos) {
        String name = operation.isEmpty() ? NONE : operation;
        Outcome outcome = new Outcome(name, error.map(ErrorCode::name).orElse(OK));
        outcomes.computeIfAbsent(outcome, any -> new LongAdder()).increment();
        latencies.computeIfAbsent(name, any -> new Latencies()).add(nanos);
    }

    Map<Outcome, LongAdder> outcomes() {
        return outcomes;
    }

    Map<String, Latencies> latencies() {
        return latencies;
    }
}
