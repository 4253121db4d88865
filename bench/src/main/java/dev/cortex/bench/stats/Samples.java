package dev.cortex.bench.stats;

import java.util.Arrays;

/** Measured values, in any order. Immutable. */
public final class Samples {
    private final double[] sorted;

    private Samples(double[] sorted) {
        this.sorted = sorted;
    }

    public static Samples of(double... values) {
        double[] copy = values.clone();
        Arrays.sort(copy);
        return new Samples(copy);
    }

    public int count() {
        return sorted.length;
    }

    public double median() {
        return quantile(0.5);
    }

    /**
     * The quantile by linear interpolation between the two nearest values (type 7 of Hyndman and Fan, "Sample Quantiles
     * in Statistical Packages", 1996); NaN without values.
     *
     * @param p from 0 to 1
     */
    public double quantile(double p) {
        return quantile(sorted, p);
    }

    static double quantile(double[] sorted, double p) {
        if (sorted.length == 0) {
            return Double.NaN;
        }
        double at = p * (sorted.length - 1);
        int below = (int) at;
        int above = Math.min(below + 1, sorted.length - 1);
        return sorted[below] + (at - below) * (sorted[above] - sorted[below]);
    }

    public double max() {
        return sorted.length == 0 ? Double.NaN : sorted[sorted.length - 1];
    }

    public double min() {
        return sorted.length == 0 ? Double.NaN : sorted[0];
    }

    double[] sorted() {
        return sorted;
    }

    /** Ascending. */
    public double[] values() {
        return sorted.clone();
    }
}
