package dev.cortex.engine.figure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** An answer that is kept for a while. */
final class AgedTest {
    private static final Duration DEADLINE = Duration.ofSeconds(30);

    private static <T> T awaited(Aged<T> aged) throws InterruptedException {
        long end = System.nanoTime() + DEADLINE.toNanos();
        Optional<T> now = aged.latest();
        while (now.isEmpty()) {
            assertThat(System.nanoTime()).as("the answer's arrival").isLessThan(end);
            Thread.sleep(1);
            now = aged.latest();
        }
        return now.get();
    }

    @Test
    void whoeverAsksDoesNotWaitAndOneFetchesAtATime() throws Exception {
        CountDownLatch may = new CountDownLatch(1);
        AtomicInteger fetched = new AtomicInteger();
        Aged<Integer> aged = new Aged<>("test", Duration.ofHours(1), () -> {
            try {
                if (!may.await(DEADLINE.toSeconds(), TimeUnit.SECONDS)) {
                    throw new IllegalStateException("nobody let it go on");
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return fetched.incrementAndGet();
        });
        assertThat(aged.latest()).isEmpty();
        assertThat(aged.latest()).isEmpty();
        may.countDown();
        assertThat(awaited(aged)).isEqualTo(1);
        assertThat(aged.latest()).contains(1);
        assertThat(fetched).hasValue(1);
    }

    @Test
    void whatCannotBeToldAnyMoreIsNotToldFromMemory() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        Aged<String> aged = new Aged<>("test", Duration.ZERO, () -> {
            if (calls.incrementAndGet() == 1) {
                return "once";
            }
            throw CortexException.of(ErrorCode.NOT_READY, "no more", "");
        });
        assertThat(awaited(aged)).isEqualTo("once");
        long end = System.nanoTime() + DEADLINE.toNanos();
        while (aged.latest().isPresent()) {
            assertThat(System.nanoTime()).as("the old answer's end").isLessThan(end);
            Thread.sleep(1);
        }
    }
}
