package dev.cortex.engine;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.service.Boundaries;
import dev.cortex.sandbox.service.Boundary;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/**
 * Ends this process as by kill -9 in the very place that {@code CORTEX_CRASH_AT} names: a step, or {@code step:n} for the
 * n-th time that it is crossed. Only a process that was started for tests ({@code -Dcortex.test=true}) obeys; any other
 * refuses to start with the variable set, since one that ignored it would be taken for a proof.
 */
final class CrashPoint implements Boundaries {
    static final String VARIABLE = "CORTEX_CRASH_AT";
    static final String PROPERTY = "cortex.test";

    /** The status that a shell shows for a process that was killed with -9. */
    static final int STATUS = 137;

    private final Boundary step;
    private final AtomicInteger left;
    private final Runnable end;

    private CrashPoint(Boundary step, int times, Runnable end) {
        this.step = step;
        this.left = new AtomicInteger(times);
        this.end = end;
    }

    /**
     * @param testing whether this process was started for tests
     * @throws CortexException INVALID_ARGUMENT for a step that there is not; DENIED when it is set and this is no test
     */
    static Boundaries of(Map<String, String> environment, boolean testing) {
        return of(environment, testing, () -> Runtime.getRuntime().halt(STATUS));
    }

    static Boundaries of(Map<String, String> environment, boolean testing, Runnable end) {
        String at = environment.getOrDefault(VARIABLE, "");
        if (at.isEmpty()) {
            return NONE;
        }
        if (!testing) {
            throw CortexException.of(
                    ErrorCode.DENIED,
                    VARIABLE + " is set, and this daemon was not started for tests",
                    "unset " + VARIABLE + ", or start it with -D" + PROPERTY + "=true");
        }
        int colon = at.indexOf(':');
        String word = colon < 0 ? at : at.substring(0, colon);
        return new CrashPoint(
                Boundary.named(word).orElseThrow(() -> unknown(at)),
                colon < 0 ? 1 : times(at, at.substring(colon + 1)),
                end);
    }

    private static int times(String at, String text) {
        if (!text.matches("[1-9][0-9]{0,8}")) {
            throw unknown(at);
        }
        return Integer.parseInt(text);
    }

    private static CortexException unknown(String at) {
        String steps = Arrays.stream(Boundary.values()).map(Boundary::word).collect(Collectors.joining(", "));
        return CortexException.of(
                ErrorCode.INVALID_ARGUMENT, VARIABLE + "=" + at + " is no step, nor step:n", "one of: " + steps);
    }

    @Override
    public void crossed(Boundary crossed) {
        if (crossed == step && left.decrementAndGet() == 0) {
            end.run();
        }
    }
}
