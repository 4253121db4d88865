package dev.cortex.drivers.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class HostProbeTest {
    private final AtomicInteger asked = new AtomicInteger();
    private final AtomicLong now = new AtomicLong(17);
    private final HostProbe probe = new HostProbe(this::answer, now::get);

    private Probed answer() {
        return new Probed(
                "6.1",
                asked.incrementAndGet(),
                Optional.empty(),
                new Probed.Cgroups("v2", List.of()),
                true,
                true,
                true,
                true,
                true,
                true,
                true,
                List.of(),
                List.of(),
                Optional.empty(),
                Optional.empty(),
                List.of(),
                Map.of());
    }

    @Test
    void aBurstAsksOnce() {
        probe.now();
        now.addAndGet(Duration.ofMillis(100).toNanos());
        probe.now();
        assertThat(asked).hasValue(1);
    }

    @Test
    void aFixIsSeenSoonAfter() {
        probe.now();
        now.addAndGet(Duration.ofMillis(500).toNanos());
        assertThat(probe.now().euid()).isEqualTo(2);
    }

    @Test
    void whatMustNotWaitTakesAnAnswerOfAWhileAgo() {
        assertThat(probe.lately().euid()).isEqualTo(1);
        now.addAndGet(Duration.ofMinutes(4).toNanos());
        assertThat(probe.lately().euid()).isEqualTo(1);
        now.addAndGet(Duration.ofMinutes(1).toNanos());
        assertThat(probe.lately().euid()).isEqualTo(2);
    }

    @Test
    void whoNeedsTheAnswerWaitsForTheOneThatIsUnderWay() {
        probe.begin();
        probe.lately();
        assertThat(asked).hasValue(1);
    }
}
