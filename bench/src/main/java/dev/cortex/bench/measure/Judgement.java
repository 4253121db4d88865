package dev.cortex.bench.measure;

import dev.cortex.bench.stats.Interval;

/**
 * How a promise stands.
 *
 * @param contender whose promise it is
 * @param words of the promise, for the table
 * @param figure the ratio or the median that it is about
 * @param note why nothing was compared, or what failed; else empty
 */
public record Judgement(
        String contender, String words, double figure, Interval interval, Standing standing, String note) {
    /** Whether a promise is met. */
    public enum Standing {
        MET,
        MISSED,
        /** It was not compared: there was too little of it, or of what it is held against. */
        UNKNOWN
    }
}
