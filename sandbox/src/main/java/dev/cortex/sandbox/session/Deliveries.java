package dev.cortex.sandbox.session;

import dev.cortex.sandbox.SandboxId;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Whether the end of a session has reached the client that holds it. Thread-safe. */
public final class Deliveries {
    private final Map<Key, CompletableFuture<Void>> known = new ConcurrentHashMap<>();

    /** Its holder has been given its Exit. */
    public void delivered(SandboxId sandbox, String session) {
        of(sandbox, session).complete(null);
    }

    /** Waits for that, at most {@code most}; false when nobody took it. */
    public boolean await(SandboxId sandbox, String session, Duration most) throws InterruptedException {
        try {
            of(sandbox, session).get(most.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            throw new IllegalStateException("a delivery cannot fail", e);
        }
    }

    public void forget(SandboxId sandbox) {
        known.keySet().removeIf(key -> key.sandbox().equals(sandbox));
    }

    private CompletableFuture<Void> of(SandboxId sandbox, String session) {
        return known.computeIfAbsent(new Key(sandbox, session), key -> new CompletableFuture<>());
    }

    private record Key(SandboxId sandbox, String session) {}
}
