package dev.cortex.e2e.front;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cortex.protocol.home.Home;
import dev.cortex.testkit.soak.Soak;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Sixteen clients at full speed; the long form, with its figures in time, is {@code ./dev bench --soak}. */
final class SoakIT {
    private static final Duration LENGTH = Duration.ofSeconds(60);

    @Test
    void sixteenClientsLeaveNothingBehindAndGetNoErrorWithoutACode() throws Exception {
        try (CortexHome cortex = CortexHome.open()) {
            cortex.cortex("ls").succeeded();
            Soak soak = new Soak(Home.at(cortex.home()), cortex.daemonPid(), "crun", 16);
            Soak.Result result = soak.run(LENGTH, seconds -> {});
            System.out.println("soak: " + result.laps().count() + " steps, " + result.after());
            assertThat(result.faults().untyped())
                    .as(result.faults().words().toString())
                    .isZero();
            assertThat(result.faults().typed())
                    .as(result.faults().words().toString())
                    .isEmpty();
            assertThat(result.laps().steps()).containsExactly("create", "exec", "kill", "remove");
            assertThat(result.leaks()).isEmpty();
        }
    }
}
