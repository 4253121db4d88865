package dev.cortex.drivers.disk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class PoolWatchTest {
    private static final PoolWatch.Pauses NONE =
            new PoolWatch.Pauses(Duration.ofMillis(1), Duration.ofMillis(1), Duration.ofMillis(1));

    @TempDir
    private Path folder;

    @Test
    void aGrowthThatFailsInAWayNobodyThoughtOfIsTriedAgain() throws Exception {
        AtomicInteger tries = new AtomicInteger();
        CountDownLatch grown = new CountDownLatch(3);
        Runnable grow = () -> {
            switch (tries.incrementAndGet()) {
                case 1 -> throw new IllegalStateException("nobody thought of it");
                case 2 -> throw CortexException.of(ErrorCode.DISK_FULL, "the host is full", "make room");
                default -> grown.countDown();
            }
        };
        try (PoolWatch watch = new PoolWatch(folder, Long.MAX_VALUE, grow, NONE)) {
            watch.begin();
            assertThat(grown.await(60, TimeUnit.SECONDS)).as("grown in the end").isTrue();
            assertThat(watch.refusal()).isEmpty();
        }
    }
}
