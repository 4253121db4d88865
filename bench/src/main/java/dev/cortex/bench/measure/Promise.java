package dev.cortex.bench.measure;

import dev.cortex.bench.measure.Judgement.Standing;
import dev.cortex.bench.stats.Bootstrap;
import dev.cortex.bench.stats.Interval;
import dev.cortex.bench.stats.Samples;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A promise of one contender. It is met when the end of the 95 % interval that is kinder to it is on the right side of
 * its figure.
 */
public sealed interface Promise {
    String contender();

    Judgement judge(List<Series> all);

    /** The median is at most so much. */
    record AtMost(String contender, double figure) implements Promise {
        @Override
        public Judgement judge(List<Series> all) {
            return find(all, contender)
                    .map(own -> judgement(
                            contender,
                            "≤ " + plain(figure) + " " + own.unit().symbol(),
                            own.samples().median(),
                            Bootstrap.median(own.samples()),
                            Bootstrap.median(own.samples()).low() <= figure))
                    .orElseGet(() -> unknown(contender, "≤ " + plain(figure), contender));
        }
    }

    /** The median is at most so many times the base's. */
    record AtMostTimes(String contender, String base, double factor) implements Promise {
        @Override
        public Judgement judge(List<Series> all) {
            String words = "≤ " + plain(factor) + " × " + base;
            return pair(all, contender, base, words, (own, other) -> {
                Interval interval = Bootstrap.ratioOfMedians(own, other);
                return judgement(contender, words, own.median() / other.median(), interval, interval.low() <= factor);
            });
        }
    }

    /** The base takes at least so many times as long. */
    record Faster(String contender, String base, double times) implements Promise {
        @Override
        public Judgement judge(List<Series> all) {
            String words = "≥ " + plain(times) + " × faster than " + base;
            return pair(all, contender, base, words, (own, other) -> {
                Interval interval = Bootstrap.ratioOfMedians(other, own);
                return judgement(contender, words, other.median() / own.median(), interval, interval.high() >= times);
            });
        }
    }

    /** The median, where more is better, is at least so much of the base's. */
    record AtLeastShare(String contender, String base, double share) implements Promise {
        @Override
        public Judgement judge(List<Series> all) {
            String words = "≥ " + plain(100 * share) + " % of " + base;
            return pair(all, contender, base, words, (own, other) -> {
                Interval interval = Bootstrap.ratioOfMedians(own, other);
                return judgement(contender, words, own.median() / other.median(), interval, interval.high() >= share);
            });
        }
    }

    /**
     * The contender is no regression of the base: it is not worse by more than a twentieth, as the kinder end of the
     * interval of their ratio says, and by more than {@code floor} in the measure's unit between the medians.
     */
    record NoWorse(String contender, String base, double floor) implements Promise {
        private static final double TOLERATED = 1.05;

        @Override
        public Judgement judge(List<Series> all) {
            String words = "no worse than " + base + " (by 5 %, and " + plain(floor) + ")";
            return pair(all, contender, base, words, (own, other) -> {
                boolean rate = find(all, contender).orElseThrow().unit().moreIsBetter();
                Samples worse = rate ? other : own;
                Samples better = rate ? own : other;
                Interval interval = Bootstrap.ratioOfMedians(worse, better);
                boolean met = interval.low() <= TOLERATED || worse.median() - better.median() <= floor;
                return judgement(contender, words, worse.median() / better.median(), interval, met);
            });
        }
    }

    /** Judges two contenders that both have figures. */
    interface Pair {
        Judgement judge(Samples own, Samples other);
    }

    private static Judgement pair(List<Series> all, String contender, String base, String words, Pair pair) {
        Optional<Series> own = find(all, contender);
        Optional<Series> other = find(all, base);
        if (own.isEmpty() || other.isEmpty()) {
            return unknown(contender, words, own.isEmpty() ? contender : base);
        }
        return pair.judge(own.get().samples(), other.get().samples());
    }

    private static Optional<Series> find(List<Series> all, String contender) {
        return all.stream()
                .filter(series -> series.contender().equals(contender))
                .filter(series -> series.samples().count() > 0)
                .findFirst();
    }

    private static Judgement judgement(String contender, String words, double figure, Interval interval, boolean met) {
        return new Judgement(contender, words, figure, interval, met ? Standing.MET : Standing.MISSED, "");
    }

    private static Judgement unknown(String contender, String words, String missing) {
        Interval nothing = new Interval(Double.NaN, Double.NaN);
        return new Judgement(contender, words, Double.NaN, nothing, Standing.UNKNOWN, missing);
    }

    private static String plain(double figure) {
        return figure == Math.rint(figure)
                ? String.format(Locale.ROOT, "%,.0f", figure)
                : String.format(Locale.ROOT, "%.2f", figure).replaceAll("0$", "");
    }
}
