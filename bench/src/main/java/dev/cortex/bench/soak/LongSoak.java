package dev.cortex.bench.soak;

import dev.cortex.bench.place.CortexDaemon;
import dev.cortex.bench.place.Grounds;
import dev.cortex.bench.report.Ticker;
import dev.cortex.testkit.soak.Laps;
import dev.cortex.testkit.soak.Soak;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** {@code ./dev bench --soak}: the soak of the tests for many minutes, and whether its tail stays what it was. */
public final class LongSoak {
    private static final int CLIENTS = 16;
    private static final String RUNTIME = "crun";

    /** The tail at the end is at most so many times that of the begin. */
    private static final double MOST_GROWTH = 1.5;

    /** Begin and end are so many minutes each, of which the median tail counts: one minute alone may be a neighbour's. */
    private static final int MINUTES = 3;

    private final Grounds grounds;
    private final PrintStream out;

    public LongSoak(Grounds grounds, PrintStream out) {
        this.grounds = grounds;
        this.out = out;
    }

    /** Whether it stayed as it began and left nothing. */
    public boolean run(Duration length, Ticker ticker) throws Exception {
        ticker.begin("soak", 1, 1);
        int seconds = (int) length.toSeconds();
        try (CortexDaemon daemon = grounds.delivered()) {
            Soak soak = new Soak(daemon.home(), daemon.pid(), RUNTIME, CLIENTS);
            Soak.Result result = soak.run(
                    length,
                    passed -> ticker.at(CLIENTS + " clients, seconds", (int) Math.min(passed, seconds), seconds));
            ticker.end();
            return tell(result);
        }
    }

    private boolean tell(Soak.Result result) {
        out.printf(
                "%nsoak: %d clients create, exec, kill and remove at full speed, %s: %,d steps%n",
                CLIENTS, RUNTIME, result.laps().count());
        List<String> slower = new ArrayList<>();
        for (String step : result.laps().steps()) {
            step(step, result.laps().minutes(step)).ifPresent(slower::add);
        }
        out.println("  before  " + result.before());
        out.println("  after   " + result.after());
        result.faults().typed().forEach((code, count) -> out.println("  refused " + code + ": " + count));
        result.faults().words().forEach(words -> out.println("      " + words.replaceAll("\\s+", " ")));
        verdict(
                "no errors without a code",
                result.faults().untyped() == 0,
                result.faults().untyped() + " of them");
        verdict("nothing leaked", result.leaks().isEmpty(), String.join("; ", result.leaks()));
        verdict(
                "p99 at the end within " + MOST_GROWTH + " × of the begin",
                slower.isEmpty(),
                String.join("; ", slower));
        return result.faults().untyped() == 0 && result.leaks().isEmpty() && slower.isEmpty();
    }

    private void verdict(String what, boolean holds, String words) {
        out.println(holds ? "  ✓ " + what : "  ✗ missed: " + what + ": " + words);
    }

    /** Prints a step's minutes; answers in words when its tail has grown. */
    private Optional<String> step(String step, Map<Integer, double[]> minutes) {
        Map<Integer, Double> tails = new TreeMap<>();
        StringBuilder line = new StringBuilder();
        int last = minutes.keySet().stream().max(Integer::compare).orElse(0);
        minutes.forEach((minute, millis) -> {
            // The minute behind the end has the last turns alone.
            if (minute < last || last == 0) {
                tails.put(minute, Laps.p99(millis));
                line.append(String.format(Locale.ROOT, " %.0f", Laps.p99(millis)));
            }
        });
        out.printf("  %-7s p99 of each minute (ms):%s%n", step, line);
        List<Double> all = List.copyOf(tails.values());
        int some = Math.min(MINUTES, Math.max(1, all.size() / 2));
        if (all.size() < 2) {
            return Optional.empty();
        }
        double begin = median(all.subList(0, some));
        double end = median(all.subList(all.size() - some, all.size()));
        out.printf(Locale.ROOT, "  %-7s begin %.1f, end %.1f: %.2f ×%n", "", begin, end, end / begin);
        return end > MOST_GROWTH * begin
                ? Optional.of(String.format(Locale.ROOT, "%s %.2f ×", step, end / begin))
                : Optional.empty();
    }

    private static double median(List<Double> values) {
        return values.stream().sorted().toList().get(values.size() / 2);
    }
}
