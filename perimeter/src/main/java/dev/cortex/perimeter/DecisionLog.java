package dev.cortex.perimeter;

import dev.cortex.sandbox.perimeter.Decision;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * What is written down of one sandbox's decisions. The first of its kind at once; those that are alike and follow within
 * some seconds become one line with their count. A flood costs a bounded number of lines, and is not lost: it is counted.
 * Thread-safe.
 */
final class DecisionLog {
    private static final System.Logger LOG = System.getLogger("dev.cortex.perimeter");
    private static final Duration ALIKE_WITHIN = Duration.ofSeconds(10);

    /** Kinds that are counted at once; a program that asks for ever new names gets a line for all of them. */
    private static final int KINDS = 64;

    private static final int LINES_PER_SECOND = 20;
    private static final int LINES_AT_ONCE = 200;

    /** The host of the line that counts what was not told one by one. */
    private static final String OTHERS = "(others)";

    private final DecisionFile file;
    private final Clock clock;
    private final Consumer<Decision> told;
    private final Pace pace = new Pace(LINES_PER_SECOND, LINES_AT_ONCE);
    private final Map<Decision, Repeated> kinds = new LinkedHashMap<>();

    private static final class Repeated {
        private final long since = System.nanoTime();
        private long count;
    }

    /** @param told of each line; must not block */
    DecisionLog(Path folder, Clock clock, Consumer<Decision> told) {
        this.file = new DecisionFile(folder);
        this.clock = clock;
        this.told = told;
    }

    synchronized void add(Decision decision) {
        Decision kind = kindOf(decision);
        Repeated repeated = kinds.get(kind);
        if (repeated != null && System.nanoTime() - repeated.since < ALIKE_WITHIN.toNanos()) {
            repeated.count++;
            return;
        }
        List<Decision> lines = new ArrayList<>();
        collect(lines, repeated == null && kinds.size() >= KINDS ? Duration.ZERO : ALIKE_WITHIN);
        if (pace.tryNext()) {
            kinds.put(kind, new Repeated());
            lines.add(decision);
        } else {
            kinds.computeIfAbsent(others(decision), key -> new Repeated()).count++;
        }
        write(lines);
    }

    /** Writes down what was only counted so far. */
    synchronized void flush() {
        List<Decision> lines = new ArrayList<>();
        collect(lines, Duration.ZERO);
        write(lines);
    }

    /** Lines for kinds that have been counted for long enough. */
    private void collect(List<Decision> lines, Duration age) {
        long now = System.nanoTime();
        kinds.entrySet().removeIf(entry -> {
            Repeated repeated = entry.getValue();
            if (now - repeated.since < age.toNanos()) {
                return false;
            }
            if (repeated.count > 0) {
                lines.add(again(entry.getKey(), repeated.count));
            }
            return true;
        });
    }

    private Decision again(Decision kind, long count) {
        return at(kind, clock.instant()).times(count);
    }

    private static Decision kindOf(Decision decision) {
        return at(decision, java.time.Instant.EPOCH);
    }

    private static Decision at(Decision d, java.time.Instant at) {
        return new Decision(
                at,
                d.verdict(),
                d.host(),
                d.port(),
                d.via(),
                d.method(),
                d.rule(),
                d.reason(),
                d.remedy(),
                d.program(),
                d.session(),
                1);
    }

    private static Decision others(Decision d) {
        return new Decision(
                java.time.Instant.EPOCH,
                d.verdict(),
                OTHERS,
                0,
                "",
                "",
                "",
                "too many to be told one by one",
                "",
                "",
                "",
                1);
    }

    private void write(List<Decision> lines) {
        if (lines.isEmpty()) {
            return;
        }
        try {
            file.append(lines);
        } catch (IOException e) {
            // A full disk must not end connections; who follows is told all the same.
            LOG.log(System.Logger.Level.WARNING, "egress decisions could not be written down: " + e.getMessage());
        }
        lines.forEach(told);
    }
}
