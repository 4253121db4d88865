package dev.cortex.engine.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import java.time.Clock;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

final class IdempotencyTest {
    private final Idempotency<String, Integer> calls = new Idempotency<>(Clock.systemUTC());
    private final AtomicInteger made = new AtomicInteger();

    @Test
    void withoutAKeyEachCallIsItsOwn() {
        calls.once(Optional.empty(), "a", made::incrementAndGet);
        calls.once(Optional.empty(), "a", made::incrementAndGet);
        assertThat(made).hasValue(2);
    }

    @Test
    void theSameKeyIsOneCall() {
        assertThat(calls.once(Optional.of("k"), "a", made::incrementAndGet)).isEqualTo(1);
        assertThat(calls.once(Optional.of("k"), "a", made::incrementAndGet)).isEqualTo(1);
    }

    @Test
    void aKeyBelongsToItsRequest() {
        calls.once(Optional.of("k"), "a", made::incrementAndGet);
        assertThatThrownBy(() -> calls.once(Optional.of("k"), "b", made::incrementAndGet))
                .isInstanceOfSatisfying(
                        CortexException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT));
    }

    @Test
    void aCallThatFailedMayBeTriedAgain() {
        assertThatThrownBy(() -> calls.once(Optional.of("k"), "a", () -> {
                    throw CortexException.of(ErrorCode.NOT_READY, "no", "");
                }))
                .isInstanceOf(CortexException.class);
        assertThat(calls.once(Optional.of("k"), "a", made::incrementAndGet)).isEqualTo(1);
    }

    @Test
    void aRepeatWaitsForTheFirst() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        var first = CompletableFuture.supplyAsync(() -> calls.once(Optional.of("k"), "a", () -> {
            inside.countDown();
            await(go);
            return made.incrementAndGet();
        }));
        inside.await();
        var second = CompletableFuture.supplyAsync(() -> calls.once(Optional.of("k"), "a", made::incrementAndGet));
        go.countDown();
        assertThat(first.get()).isEqualTo(1);
        assertThat(second.get()).isEqualTo(1);
    }

    @Test
    void aCallInFlightIsNeverForgottenHoweverManyCome() throws Exception {
        Idempotency<String, Integer> calls = new Idempotency<>(Clock.systemUTC());
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        AtomicInteger made = new AtomicInteger();
        Supplier<Integer> slow = () -> {
            inside.countDown();
            await(go);
            return made.incrementAndGet();
        };
        CompletableFuture<Integer> first =
                CompletableFuture.supplyAsync(() -> calls.once(Optional.of("first"), "q", slow));
        inside.await();
        for (int i = 0; i < 10_500; i++) {
            calls.once(Optional.of("other " + i), "q", () -> 0);
        }
        CompletableFuture<Integer> again =
                CompletableFuture.supplyAsync(() -> calls.once(Optional.of("first"), "q", slow));
        go.countDown();
        assertThat(first.get()).isEqualTo(1);
        assertThat(again.get()).isEqualTo(1);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
