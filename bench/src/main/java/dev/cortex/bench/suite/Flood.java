package dev.cortex.bench.suite;

import java.io.IOException;

/** The program that fills a stdout, the same for all who carry it. */
final class Flood {
    private static final int BLOCKS = 2_048;
    private static final long BYTES = BLOCKS * 65_536L;

    static final String[] ARGV = {"dd", "if=/dev/zero", "bs=64k", "count=" + BLOCKS, "status=none"};

    private Flood() {}

    /** Millions of bytes a second. */
    static double rate(long bytes, long nanos) throws IOException {
        if (bytes != BYTES) {
            throw new IOException(bytes + " of " + BYTES + " bytes arrived");
        }
        return bytes * 1e3 / nanos;
    }
}
