package dev.cortex.perimeter;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class PaceTest {
    @Test
    void aBurstGoesAtOnceAndWhatFollowsWaitsItsTurn() {
        Pace pace = new Pace(1, 10);
        for (int i = 0; i < 10; i++) {
            assertThat(pace.next()).isZero();
        }
        assertThat(pace.next()).isPositive();
        assertThat(pace.tryNext()).isFalse();
    }

    @Test
    void aRestDoesNotSaveUpForMoreThanABurst() {
        Pace pace = new Pace(1_000_000, 3);
        int atOnce = 0;
        Pace slow = new Pace(1, 3);
        while (slow.tryNext()) {
            atOnce++;
        }
        assertThat(atOnce).isEqualTo(3);
        assertThat(pace.next()).isZero();
    }

    @Test
    void oneSandboxMayTakeWhatIsLeftForTheOthersAndNoMore() {
        Budget budget = new Budget(100, 80);
        int first = 0;
        while (budget.take(first)) {
            first++;
        }
        assertThat(first).isEqualTo(50);
        int second = 0;
        while (budget.take(second)) {
            second++;
        }
        assertThat(second).isEqualTo(25);
        for (int i = 0; i < first; i++) {
            budget.give();
        }
        assertThat(budget.take(second)).isTrue();
    }
}
