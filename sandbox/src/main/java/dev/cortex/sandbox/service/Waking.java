package dev.cortex.sandbox.service;

import dev.cortex.sandbox.SandboxId;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Sandboxes that stand still, and who waits for them. Once {@link #over} has returned the record says what the sandbox
 * is instead. Thread-safe.
 */
final class Waking {
    private final Map<SandboxId, CountDownLatch> still = new ConcurrentHashMap<>();

    void standsStill(SandboxId id) {
        still.computeIfAbsent(id, same -> new CountDownLatch(1));
    }

    void over(SandboxId id) {
        CountDownLatch latch = still.remove(id);
        if (latch != null) {
            latch.countDown();
        }
    }

    /** Returns at once when it does not stand still; false when it still does after {@code most}. */
    boolean await(SandboxId id, Duration most) throws InterruptedException {
        CountDownLatch latch = still.get(id);
        return latch == null || latch.await(most.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Lets everybody go, for the end of this process's work. */
    void close() {
        still.keySet().forEach(this::over);
    }
}
