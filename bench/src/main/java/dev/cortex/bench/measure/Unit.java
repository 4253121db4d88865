package dev.cortex.bench.measure;

/** What a measure counts in. */
public enum Unit {
    MILLISECONDS("ms", false),
    /** Millions of bytes a second. */
    MEGABYTES_A_SECOND("MB/s", true),
    /** Millions of bytes. */
    MEGABYTES("MB", false);

    private final String symbol;
    private final boolean moreIsBetter;

    Unit(String symbol, boolean moreIsBetter) {
        this.symbol = symbol;
        this.moreIsBetter = moreIsBetter;
    }

    public String symbol() {
        return symbol;
    }

    public boolean moreIsBetter() {
        return moreIsBetter;
    }
}
