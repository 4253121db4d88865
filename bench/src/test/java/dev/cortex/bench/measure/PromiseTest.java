package dev.cortex.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cortex.bench.measure.Judgement.Standing;
import dev.cortex.bench.stats.Samples;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

final class PromiseTest {
    @ParameterizedTest
    @CsvSource({"14, MET", "15, MET", "16, MISSED"})
    void atMostTimesHoldsTheRatioAgainstTheFactor(double own, Standing standing) {
        assertThat(new Promise.AtMostTimes("own", "base", 1.5)
                        .judge(List.of(flat("own", own), flat("base", 10)))
                        .standing())
                .isEqualTo(standing);
    }

    @ParameterizedTest
    @CsvSource({"3, MET", "2, MET", "1.5, MET", "2.5, MISSED"})
    void fasterHoldsTheBaseAgainstTheContender(double own, Standing standing) {
        double times = standing == Standing.MISSED ? 20 : 10 / own;
        assertThat(new Promise.Faster("own", "base", times)
                        .judge(List.of(flat("own", own), flat("base", 10)))
                        .standing())
                .isEqualTo(standing);
    }

    @ParameterizedTest
    @CsvSource({"800, MET", "700, MET", "690, MISSED"})
    void aShareOfARateIsMirrored(double own, Standing standing) {
        assertThat(new Promise.AtLeastShare("own", "base", 0.7)
                        .judge(List.of(flat("own", own), flat("base", 1000)))
                        .standing())
                .isEqualTo(standing);
    }

    @ParameterizedTest
    @CsvSource({"10, MET", "10.4, MET", "11, MISSED", "9, MET"})
    void aRegressionIsWorseByATwentiethAndByMoreThanTheFloor(double own, Standing standing) {
        Promise promise = new Promise.NoWorse("own", "base", 0.5);
        assertThat(promise.judge(List.of(flat("own", own), flat("base", 10))).standing())
                .isEqualTo(standing);
        assertThat(new Promise.NoWorse("own", "base", 2)
                        .judge(List.of(flat("own", own), flat("base", 10)))
                        .standing())
                .as("beneath the floor")
                .isEqualTo(Standing.MET);
    }

    @Test
    void aRateIsWorseWhereItIsLower() {
        Promise promise = new Promise.NoWorse("own", "base", 50);
        assertThat(promise.judge(List.of(rate("own", 700), rate("base", 1000))).standing())
                .isEqualTo(Standing.MISSED);
        assertThat(promise.judge(List.of(rate("own", 1000), rate("base", 700))).standing())
                .isEqualTo(Standing.MET);
    }

    private static Series rate(String name, double value) {
        return Series.of(name, Unit.MEGABYTES_A_SECOND, value, value, value);
    }

    @ParameterizedTest
    @CsvSource({"4, MET", "3.9, MISSED", "5, MET"})
    void aFigureIsJudgedByTheMedianAndNotByItsInterval(double figure, Standing standing) {
        Series wide = Series.of("own", Unit.MILLISECONDS, 1, 2, 3, 4, 5, 6, 7);
        Judgement judgement = new Promise.AtMost("own", figure).judge(List.of(wide));
        assertThat(judgement.figure()).isEqualTo(4);
        assertThat(judgement.interval().low()).isLessThan(3.9);
        assertThat(judgement.standing()).isEqualTo(standing);
    }

    @ParameterizedTest
    @CsvSource({"2.5, MET", "2, MISSED"})
    void aRatioIsJudgedByTheKinderEndOfItsInterval(double factor, Standing standing) {
        double[] wide = {2, 2.2, 2.4, 2.6, 2.8, 3, 3.2, 3.4, 3.6};
        Judgement judgement = new Promise.AtMostTimes("own", "base", factor)
                .judge(List.of(Series.of("own", Unit.MILLISECONDS, wide), flat("base", 1)));
        assertThat(judgement.figure()).isGreaterThan(2.5);
        assertThat(judgement.standing()).isEqualTo(standing);
    }

    private static List<Promise> promisesThatHold() {
        return List.of(
                new Promise.AtMost("own", 10),
                new Promise.AtMostTimes("own", "base", 1.5),
                new Promise.Faster("own", "base", 1),
                new Promise.AtLeastShare("own", "base", 0.7),
                new Promise.NoWorse("own", "base", 0.5));
    }

    @ParameterizedTest
    @MethodSource("promisesThatHold")
    void nothingIsMetWhoseContenderFailedOnce(Promise promise) {
        Judgement whole = promise.judge(List.of(series("own", 20, 0), series("base", 20, 0)));
        assertThat(whole.standing()).isEqualTo(Standing.MET);
        assertThat(whole.note()).isEmpty();

        Judgement failed = promise.judge(List.of(series("own", 199, 1), series("base", 20, 0)));
        assertThat(failed.standing()).isEqualTo(Standing.MISSED);
        assertThat(failed.note()).isEqualTo("1 failed");
    }

    @ParameterizedTest
    @MethodSource("promisesThatHold")
    void ofTooFewSamplesNothingIsCompared(Promise promise) {
        Judgement judgement = promise.judge(List.of(series("own", 19, 0), series("base", 20, 0)));
        assertThat(judgement.standing()).isEqualTo(Standing.UNKNOWN);
        assertThat(judgement.note()).isEqualTo("19 of own, and 20 is the least");
    }

    @Test
    void withABaseOfTooFewSamplesOrAFailureNothingIsCompared() {
        Promise promise = new Promise.AtMostTimes("own", "base", 1.5);
        Judgement few = promise.judge(List.of(series("own", 20, 0), series("base", 19, 0)));
        assertThat(few.standing()).isEqualTo(Standing.UNKNOWN);
        assertThat(few.note()).isEqualTo("19 of base, and 20 is the least");
        Judgement failed = promise.judge(List.of(series("own", 20, 0), series("base", 40, 2)));
        assertThat(failed.standing()).isEqualTo(Standing.UNKNOWN);
        assertThat(failed.note()).isEqualTo("2 failed of base");
    }

    @Test
    void withoutFiguresNothingIsKnown() {
        Series none = new Series("base", Unit.MILLISECONDS, Samples.of(), 1, List.of("not installed"), 20);
        Judgement judgement = new Promise.Faster("own", "base", 5).judge(List.of(flat("own", 1), none));
        assertThat(judgement.standing()).isEqualTo(Standing.UNKNOWN);
        assertThat(judgement.note()).isEqualTo("nothing measured of base");
        assertThat(new Promise.AtMost("own", 5).judge(List.of()).standing()).isEqualTo(Standing.UNKNOWN);
    }

    /** Of equal values. */
    private static Series series(String name, int count, int failures) {
        double[] values = new double[count];
        Arrays.fill(values, 10);
        return new Series(name, Unit.MILLISECONDS, Samples.of(values), failures, List.of(), 20);
    }

    private static Series flat(String name, double value) {
        double[] values = new double[9];
        Arrays.fill(values, value);
        return Series.of(name, Unit.MILLISECONDS, values);
    }
}
