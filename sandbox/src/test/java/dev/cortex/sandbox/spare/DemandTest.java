package dev.cortex.sandbox.spare;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cortex.sandbox.Limits;
import dev.cortex.sandbox.store.SpareKind;
import dev.cortex.sandbox.terms.Rights;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

final class DemandTest {
    private static final Instant NOON = Instant.parse("2026-03-01T12:00:00Z");
    private static final SpareKind USUAL = kind("host");
    private static final SpareKind OTHER = kind("python");

    private final Demand demand = new Demand(new SpareSettings(2, "build"));

    private static SpareKind kind(String image) {
        return new SpareKind("oci", "crun", image, "", image, Limits.DEFAULT, Rights.DEFAULT);
    }

    private void asked(SpareKind kind, int times, Instant when) {
        for (int i = 0; i < times; i++) {
            demand.asked(kind, when);
        }
    }

    @Test
    void theUsualKindIsThereBeforeAnybodyAsks() {
        assertThat(demand.targets(List.of(USUAL), NOON)).containsOnlyKeys(USUAL).containsValue(2);
        assertThat(demand.targets(List.of(), NOON)).isEmpty();
    }

    @Test
    void aKindThatWasAskedForGetsSparesAndLosesThemWhenNobodyAsksAgain() {
        asked(OTHER, 1, NOON);
        assertThat(demand.targets(List.of(USUAL), NOON).get(OTHER)).isEqualTo(2);
        assertThat(demand.targets(List.of(USUAL), NOON.plus(Demand.REMEMBERED))).containsKey(OTHER);
        assertThat(demand.targets(List.of(USUAL), NOON.plus(Demand.REMEMBERED).plusMillis(1)))
                .containsOnlyKeys(USUAL);
    }

    @Test
    void muchUseRaisesTheNumberToFourTimesAndNoFurther() {
        asked(USUAL, 8, NOON);
        assertThat(demand.targets(List.of(USUAL), NOON).get(USUAL)).isEqualTo(4);
        asked(USUAL, 1_000, NOON);
        assertThat(demand.targets(List.of(USUAL), NOON).get(USUAL)).isEqualTo(8);
    }

    @Test
    void whatWasRaisedSinksAgain() {
        asked(USUAL, 16, NOON);
        assertThat(demand.targets(List.of(USUAL), NOON).get(USUAL)).isEqualTo(6);
        assertThat(demand.targets(List.of(USUAL), NOON.plus(Demand.HALF_LIFE)).get(USUAL))
                .isEqualTo(4);
        assertThat(demand.targets(List.of(USUAL), NOON.plus(Duration.ofMinutes(5)))
                        .get(USUAL))
                .isEqualTo(2);
    }

    @Test
    void allKindsTogetherAreBoundedAndThoseAskedForLastComeFirst() {
        for (int i = 0; i < 20; i++) {
            asked(kind("image-" + i), 100, NOON.plusSeconds(i));
        }
        assertThat(demand.targets(List.of(), NOON.plusSeconds(20)))
                .containsOnlyKeys(kind("image-19"), kind("image-18"))
                .containsValues(8);
    }

    @Test
    void aKindThatNobodyCanAskForAnyMoreIsForgotten() {
        asked(OTHER, 3, NOON);
        demand.forget(OTHER);
        assertThat(demand.targets(List.of(), NOON)).isEmpty();
    }

    @Test
    void anImageThatHasGoneIsForgottenInEveryKind() {
        SpareKind small = new SpareKind("oci", "crun", "app", "sha256:a", "a", Limits.DEFAULT, Rights.DEFAULT);
        SpareKind other = new SpareKind("oci", "runc", "app:1", "sha256:a", "a", Limits.DEFAULT, Rights.DEFAULT);
        asked(small, 1, NOON);
        asked(other, 1, NOON);
        asked(OTHER, 1, NOON);
        demand.forgetImage("sha256:a");
        assertThat(demand.targets(List.of(), NOON)).containsOnlyKeys(OTHER);
    }

    @Test
    void aClockThatGoesBackHeatsNothing() {
        asked(USUAL, 4, NOON);
        assertThat(demand.targets(List.of(USUAL), NOON.minusSeconds(3_600)).get(USUAL))
                .isEqualTo(3);
    }
}
