package dev.cortex.testkit.soak;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** How long each step took, by the minute in which it ended. Thread-safe. */
public final class Laps {
    private static final long MINUTE_NANOS = 60_000_000_000L;

    private final long begun = System.nanoTime();
    private final Map<String, Map<Integer, List<Double>>> millis = new TreeMap<>();

    synchronized void add(String step, long nanos) {
        int minute = (int) ((System.nanoTime() - begun) / MINUTE_NANOS);
        millis.computeIfAbsent(step, none -> new TreeMap<>())
                .computeIfAbsent(minute, none -> new ArrayList<>())
                .add(nanos / 1e6);
    }

    public synchronized List<String> steps() {
        return List.copyOf(millis.keySet());
    }

    /** Milliseconds of a step in each minute that had any. */
    public synchronized Map<Integer, double[]> minutes(String step) {
        Map<Integer, double[]> all = new TreeMap<>();
        millis.getOrDefault(step, Map.of()).forEach((minute, values) -> {
            double[] sorted =
                    values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
            all.put(minute, sorted);
        });
        return all;
    }

    /** How many steps there were. */
    public synchronized long count() {
        return millis.values().stream()
                .flatMap(minutes -> minutes.values().stream())
                .mapToLong(List::size)
                .sum();
    }

    /** The value that 99 % are at most. */
    public static double p99(double[] sorted) {
        double[] copy = sorted.clone();
        Arrays.sort(copy);
        return copy.length == 0 ? Double.NaN : copy[(copy.length - 1) * 99 / 100];
    }
}
