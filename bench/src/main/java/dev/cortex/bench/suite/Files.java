package dev.cortex.bench.suite;

/** The file that travels. */
final class Files {
    static final long BYTES = 64L << 20;

    private Files() {}
}
