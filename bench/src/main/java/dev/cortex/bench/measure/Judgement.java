package dev.cortex.bench.measure;

import dev.cortex.bench.stats.Interval;

/**
 * How a promise stands.
 *
 * @param contender whose promise it is
 * @param words of the promise, for the table
 * @param figure the ratio or the median that it is about
 * @param missing what there was no figure of, or empty
 */
public record Judgement(
        String contender, String words, double figure, Interval interval, Standing standing, String missing) {
    /** Whether a promise is met. */
    public enum Standing {
        MET,
        MISSED,
        /** There was nothing to hold it against. */
        UNKNOWN
    }
}
