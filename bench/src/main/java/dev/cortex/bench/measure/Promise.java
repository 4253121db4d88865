package dev.cortex.bench.measure;

import dev.cortex.bench.measure.Judgement.Standing;
import dev.cortex.bench.stats.Bootstrap;
import dev.cortex.bench.stats.Interval;
import dev.cortex.bench.stats.Samples;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A promise of one contender. A figure is judged by the median itself; a ratio is met when the end of its 95 % interval
 * that is kinder to it is on the right side. Nothing is met whose contender failed even once; and nothing is compared of
 * which there is too little, or with a base that failed.
 */
public sealed interface Promise {
    String contender();

    Judgement judge(List<Series> all);

    /** The median is at most so much. */
    record AtMost(String contender, double figure) implements Promise {
        @Override
        public Judgement judge(List<Series> all) {
            Optional<Series> own = find(all, contender);
            String symbol = own.map(series -> " " + series.unit().symbol()).orElse("");
            String words = "≤ " + plain(figure) + symbol;
            Optional<String> obstacle = tooFew(own, contender);
            if (own.isEmpty() || obstacle.isPresent()) {
                return unknown(contender, words, obstacle.orElse(""));
            }
            Samples samples = own.get().samples();
            double median = samples.median();
            return judgement(own.get(), words, median, Bootstrap.median(samples), median <= figure);
        }
    }

    /** The median is at most so many times the base's. */
    record AtMostTimes(String contender, String base, double factor) implements Promise {
        @Override
        public Judgement judge(List<Series> all) {
            String words = "≤ " + plain(factor) + " × " + base;
            return pair(all, contender, base, words, (own, other) -> {
                Interval interval = Bootstrap.ratioOfMedians(own, other);
                return new Ratio(own.median() / other.median(), interval, interval.low() <= factor);
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
                return new Ratio(other.median() / own.median(), interval, interval.high() >= times);
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
                return new Ratio(own.median() / other.median(), interval, interval.high() >= share);
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
                return new Ratio(worse.median() / better.median(), interval, met);
            });
        }
    }

    /** Of two medians, with its interval, and whether that is what was promised. */
    record Ratio(double figure, Interval interval, boolean kept) {}

    /** Holds two contenders that both have figures against each other. */
    interface Pair {
        Ratio hold(Samples own, Samples other);
    }

    private static Judgement pair(List<Series> all, String contender, String base, String words, Pair pair) {
        Optional<Series> own = find(all, contender);
        Optional<Series> other = find(all, base);
        Optional<String> obstacle = tooFew(own, contender)
                .or(() -> tooFew(other, base))
                .or(() -> other.filter(series -> series.failures() > 0)
                        .map(series -> series.failures() + " failed of " + base));
        if (own.isEmpty() || other.isEmpty() || obstacle.isPresent()) {
            return unknown(contender, words, obstacle.orElse(""));
        }
        Ratio ratio = pair.hold(own.get().samples(), other.get().samples());
        return judgement(own.get(), words, ratio.figure(), ratio.interval(), ratio.kept());
    }

    private static Optional<Series> find(List<Series> all, String contender) {
        return all.stream()
                .filter(series -> series.contender().equals(contender))
                .findFirst();
    }

    /** In words, when there is not enough to judge. */
    private static Optional<String> tooFew(Optional<Series> series, String name) {
        int count = series.map(one -> one.samples().count()).orElse(0);
        if (count == 0) {
            return Optional.of("nothing measured of " + name);
        }
        return series.filter(one -> count < one.least())
                .map(one -> count + " of " + name + ", and " + one.least() + " is the least");
    }

    private static Judgement judgement(Series own, String words, double figure, Interval interval, boolean kept) {
        boolean met = kept && own.failures() == 0;
        String note = own.failures() == 0 ? "" : own.failures() + " failed";
        return new Judgement(own.contender(), words, figure, interval, met ? Standing.MET : Standing.MISSED, note);
    }

    private static Judgement unknown(String contender, String words, String why) {
        Interval nothing = new Interval(Double.NaN, Double.NaN);
        return new Judgement(contender, words, Double.NaN, nothing, Standing.UNKNOWN, why);
    }

    private static String plain(double figure) {
        return figure == Math.rint(figure)
                ? String.format(Locale.ROOT, "%,.0f", figure)
                : String.format(Locale.ROOT, "%.2f", figure).replaceAll("0$", "");
    }
}
