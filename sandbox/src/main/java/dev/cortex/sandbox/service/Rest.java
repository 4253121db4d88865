package dev.cortex.sandbox.service;

import java.time.Duration;
import java.time.Instant;

/**
 * How long what failed is left alone.
 *
 * @param until when it may be tried again
 * @param length of this rest, of which the next one in a row is the double
 */
record Rest(Instant until, Duration length) {
    private static final Duration FIRST = Duration.ofSeconds(30);
    private static final Duration LONGEST = Duration.ofMinutes(10);

    /** From the start. */
    static final Rest NONE = new Rest(Instant.MIN, Duration.ZERO);

    /** It failed again. */
    Rest next(Instant now) {
        Duration doubled = length.isZero() ? FIRST : length.multipliedBy(2);
        Duration longer = doubled.compareTo(LONGEST) < 0 ? doubled : LONGEST;
        return new Rest(now.plus(longer), longer);
    }

    /** What has gone well for as long as one can rest starts anew. */
    boolean isLongAgo(Instant now) {
        return length.isZero() || now.isAfter(until.plus(LONGEST));
    }

    boolean holds(Instant now) {
        return now.isBefore(until);
    }
}
