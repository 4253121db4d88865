package dev.cortex.bench.stats;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Intervals of 95 % by the percentile bootstrap (Efron and Tibshirani, "An Introduction to the Bootstrap", 1993,
 * chapter 13): the figure is computed of 2,000 samples drawn with replacement, and its 2.5 and 97.5 percentiles are the
 * interval. The same values give the same interval: the drawing has a fixed seed.
 */
public final class Bootstrap {
    private static final int DRAWS = 2_000;
    private static final long SEED = 0x5eed_c0de_c0de_5eedL;
    private static final double TAIL = 0.025;

    private Bootstrap() {}

    public static Interval median(Samples samples) {
        SplittableRandom random = new SplittableRandom(SEED);
        double[] medians = medians(samples.sorted(), random);
        Arrays.sort(medians);
        return between(medians);
    }

    /** Of the median of {@code above} divided by that of {@code below}; the two were drawn independently. */
    public static Interval ratioOfMedians(Samples above, Samples below) {
        SplittableRandom random = new SplittableRandom(SEED);
        double[] ratios = medians(above.sorted(), random);
        double[] divisors = medians(below.sorted(), random);
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] /= divisors[i];
        }
        Arrays.sort(ratios);
        return between(ratios);
    }

    private static Interval between(double[] figures) {
        return new Interval(Samples.quantile(figures, TAIL), Samples.quantile(figures, 1 - TAIL));
    }

    private static double[] medians(double[] sorted, SplittableRandom random) {
        double[] medians = new double[DRAWS];
        if (sorted.length == 0) {
            Arrays.fill(medians, Double.NaN);
            return medians;
        }
        // Drawn are places in the sorted values, so that counting them sorts the draw.
        int[] drawn = new int[sorted.length];
        for (int draw = 0; draw < DRAWS; draw++) {
            Arrays.fill(drawn, 0);
            for (int i = 0; i < sorted.length; i++) {
                drawn[random.nextInt(sorted.length)]++;
            }
            medians[draw] = median(sorted, drawn);
        }
        return medians;
    }

    private static double median(double[] sorted, int[] drawn) {
        int upper = sorted.length / 2;
        int lower = (sorted.length - 1) / 2;
        int seen = 0;
        double low = Double.NaN;
        for (int i = 0; i < sorted.length; i++) {
            seen += drawn[i];
            if (Double.isNaN(low) && seen > lower) {
                low = sorted[i];
            }
            if (seen > upper) {
                return (low + sorted[i]) / 2;
            }
        }
        return low;
    }
}
