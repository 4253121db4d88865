package dev.cortex.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cortex.bench.measure.Judgement.Standing;
import dev.cortex.bench.stats.Samples;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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

    @Test
    void whoseIntervalReachesTheFigureMeetsIt() {
        Series wide = Series.of("own", Unit.MILLISECONDS, 1, 2, 3, 4, 5, 6, 7);
        Judgement judgement = new Promise.AtMost("own", 3).judge(List.of(wide));
        assertThat(judgement.figure()).isEqualTo(4);
        assertThat(judgement.standing()).isEqualTo(Standing.MET);
    }

    @Test
    void withoutFiguresNothingIsKnown() {
        Series none = new Series("base", Unit.MILLISECONDS, Samples.of(), 1, List.of("not installed"));
        Judgement judgement = new Promise.Faster("own", "base", 5).judge(List.of(flat("own", 1), none));
        assertThat(judgement.standing()).isEqualTo(Standing.UNKNOWN);
        assertThat(judgement.missing()).isEqualTo("base");
    }

    private static Series flat(String name, double value) {
        double[] values = new double[9];
        Arrays.fill(values, value);
        return Series.of(name, Unit.MILLISECONDS, values);
    }
}
