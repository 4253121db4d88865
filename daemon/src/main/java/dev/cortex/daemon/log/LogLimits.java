package dev.cortex.daemon.log;

import java.time.Duration;

/**
 * How much of a log is kept. A file is put aside when it is full and at the first line of a day (UTC).
 *
 * @param fileBytes of one file at most; one line that is longer makes a longer file
 * @param files that are kept besides the one in use
 * @param age a file that was put aside and was last written so long ago is deleted
 */
public record LogLimits(long fileBytes, int files, Duration age) {
    /** Two weeks of a quiet daemon, 128 MiB of a busy one. */
    public static final LogLimits DEFAULT = new LogLimits(16L << 20, 7, Duration.ofDays(14));
}
