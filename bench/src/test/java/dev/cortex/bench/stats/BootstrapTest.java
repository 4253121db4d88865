package dev.cortex.bench.stats;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

final class BootstrapTest {
    @Test
    void theIntervalOfEqualValuesIsThatValue() {
        assertThat(Bootstrap.median(Samples.of(7, 7, 7, 7))).isEqualTo(new Interval(7, 7));
        assertThat(Bootstrap.ratioOfMedians(Samples.of(6, 6), Samples.of(3, 3, 3)))
                .isEqualTo(new Interval(2, 2));
    }

    @Test
    void theSameValuesGiveTheSameInterval() {
        Samples samples = normal(100, 10, 1);
        assertThat(Bootstrap.median(samples)).isEqualTo(Bootstrap.median(samples));
    }

    @Test
    void theTrueRatioIsInNineteenOfTwentyIntervals() {
        int holds = 0;
        for (int seed = 0; seed < 400; seed++) {
            Interval interval = Bootstrap.ratioOfMedians(normal(80, 30, 2 * seed), normal(80, 20, 2 * seed + 1));
            holds += interval.low() <= 1.5 && 1.5 <= interval.high() ? 1 : 0;
        }
        // 95 % of 400 are 380; the binomial's standard deviation is 4.4, and a percentile interval is a little off.
        assertThat(holds).isBetween(362, 398);
    }

    @Test
    void moreValuesMakeItNarrower() {
        Interval few = Bootstrap.median(normal(20, 10, 5));
        Interval many = Bootstrap.median(normal(2_000, 10, 5));
        assertThat(many.high() - many.low()).isLessThan((few.high() - few.low()) / 3);
    }

    @Test
    void nothingHasNoInterval() {
        assertThat(Bootstrap.median(Samples.of()).low()).isNaN();
    }

    private static Samples normal(int count, double mean, long seed) {
        Random random = new Random(seed);
        return Samples.of(random.doubles(count)
                .map(ignored -> mean + random.nextGaussian() * mean / 10)
                .toArray());
    }
}
