package dev.cortex.sandbox.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class LeasesTest {
    private static final Duration LONG = Duration.ofSeconds(30);

    private final Leases leases = new Leases(Clock.systemUTC());

    @Test
    void aSecondOperationThatWaitsTooLongIsToldWhoHoldsTheLease() {
        try (Lease first = leases.acquire("api", "api", "stop", LONG, LONG)) {
            assertThat(first.holder()).isEqualTo("stop");
            assertThatThrownBy(() -> leases.acquire("api", "api", "start", Duration.ofMillis(20), LONG))
                    .isInstanceOfSatisfying(CortexException.class, e -> {
                        assertThat(e.code()).isEqualTo(ErrorCode.BUSY);
                        assertThat(e.getMessage()).contains("stop");
                    });
        }
    }

    @Test
    void aWaitingOperationGoesOnAsSoonAsTheLeaseIsFree() {
        Lease first = leases.acquire("api", "api", "stop", LONG, LONG);
        var second = CompletableFuture.supplyAsync(() -> leases.acquire("api", "api", "start", LONG, LONG));
        first.close();
        assertThat(second.join().holder()).isEqualTo("start");
    }

    @Test
    void leasesOfDifferentSandboxesDoNotMeet() {
        leases.acquire("a", "a", "stop", LONG, LONG);
        assertThat(leases.acquire("b", "b", "stop", Duration.ZERO, LONG).subject())
                .isEqualTo("b");
    }

    @Test
    void closingALeaseTwiceDoesNotFreeTheNextOne() {
        Lease first = leases.acquire("api", "api", "stop", LONG, LONG);
        first.close();
        leases.acquire("api", "api", "start", LONG, LONG);
        first.close();
        assertThat(leases.holder("api")).contains("start");
    }

    @Test
    void operationsOnOneSandboxNeverOverlap() throws Exception {
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 100; i++) {
                var _ = threads.submit(() -> {
                    try (Lease lease = leases.acquire("api", "api", "turn", LONG, LONG)) {
                        most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                        Thread.yield();
                        inside.decrementAndGet();
                        return lease.holder();
                    }
                });
            }
        }
        assertThat(most).hasValue(1);
    }

    @Test
    void anInterruptedWaitIsACancelledOne() throws Exception {
        leases.acquire("api", "api", "stop", LONG, LONG);
        CompletableFuture<ErrorCode> code = new CompletableFuture<>();
        Thread waiting = Thread.startVirtualThread(() -> {
            try {
                leases.acquire("api", "api", "start", LONG, LONG);
            } catch (CortexException e) {
                code.complete(e.code());
            }
        });
        waiting.interrupt();
        assertThat(code.get()).isEqualTo(ErrorCode.CANCELLED);
    }
}
