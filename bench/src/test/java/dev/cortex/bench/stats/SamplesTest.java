package dev.cortex.bench.stats;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

final class SamplesTest {
    @Test
    void theMedianOfAnEvenNumberLiesBetweenTheTwoInTheMiddle() {
        assertThat(Samples.of(4, 1, 3, 2).median()).isEqualTo(2.5);
        assertThat(Samples.of(9, 1, 5).median()).isEqualTo(5);
    }

    @Test
    void quantilesBetweenTwoValuesAreInterpolated() {
        Samples hundred = Samples.of(
                java.util.stream.IntStream.rangeClosed(1, 101).asDoubleStream().toArray());
        assertThat(hundred.quantile(0)).isEqualTo(1);
        assertThat(hundred.quantile(0.95)).isEqualTo(96);
        assertThat(hundred.quantile(0.955)).isEqualTo(96.5);
        assertThat(hundred.quantile(1)).isEqualTo(101);
    }

    @Test
    void nothingHasNoMedian() {
        assertThat(Samples.of().median()).isNaN();
        assertThat(Samples.of().max()).isNaN();
    }

    @Property
    void everyQuantileIsBetweenTheLeastAndTheLargestAndTheyRise(
            @ForAll @Size(min = 1, max = 50) List<@DoubleRange(min = -1e6, max = 1e6) Double> values,
            @ForAll @DoubleRange(min = 0, max = 1) double low,
            @ForAll @DoubleRange(min = 0, max = 1) double high) {
        Samples samples =
                Samples.of(values.stream().mapToDouble(Double::doubleValue).toArray());
        double lower = samples.quantile(Math.min(low, high));
        double upper = samples.quantile(Math.max(low, high));
        assertThat(lower).isBetween(samples.min(), samples.max());
        assertThat(lower).isLessThanOrEqualTo(upper + 1e-9 * Math.abs(upper));
    }

    @Test
    void valuesThatAreHandedInMayChangeAfterwards() {
        double[] values = {3, 1, 2};
        Samples samples = Samples.of(values);
        Arrays.fill(values, 0);
        assertThat(samples.values()).containsExactly(1, 2, 3);
    }
}
