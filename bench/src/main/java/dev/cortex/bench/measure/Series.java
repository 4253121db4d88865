package dev.cortex.bench.measure;

import dev.cortex.bench.stats.Samples;
import java.util.List;

/**
 * What one contender did.
 *
 * @param words of the first failures
 */
public record Series(String contender, Unit unit, Samples samples, int failures, List<String> words) {
    public Series {
        words = List.copyOf(words);
    }

    public static Series of(String contender, Unit unit, double... values) {
        return new Series(contender, unit, Samples.of(values), 0, List.of());
    }
}
