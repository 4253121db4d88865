package dev.cortex.bench.suite;

/** The program whose first output is waited for, wherever something is created. */
final class Echo {
    static final String PROGRAM = "/bin/echo";
    static final String WORD = "first";

    private Echo() {}
}
