package dev.cortex.bench.measure;

import dev.cortex.bench.stats.Samples;
import java.util.List;

/**
 * What one contender did.
 *
 * @param words of the first failures
 * @param least samples on which a promise can be judged
 */
public record Series(String contender, Unit unit, Samples samples, int failures, List<String> words, int least) {
    public Series {
        words = List.copyOf(words);
    }

    /** Of a measure that is made once, or as often as it says itself: judged on whatever it has, without a failure. */
    public static Series of(String contender, Unit unit, double... values) {
        return new Series(contender, unit, Samples.of(values), 0, List.of(), 1);
    }
}
