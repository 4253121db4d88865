package dev.cortex.sandbox.service;

import dev.cortex.sandbox.SandboxId;
import java.time.Clock;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/**
 * When somebody last did something with each sandbox: the one definition of what keeps it from being idle, together with
 * its running sessions, of which its neuron knows. Bytes from a live client count, calls that reach the sandbox, and
 * traffic on a forwarded port; looking at it does not. Only of sandboxes that have a record is anything remembered: what
 * ends behind a remove touches it once more. Thread-safe, and cheap enough for every frame.
 */
public final class Activity {
    private final Clock clock;
    private final Predicate<SandboxId> recorded;
    private final Map<SandboxId, Use> all = new ConcurrentHashMap<>();

    /** @param recorded asked once for each sandbox that was not seen before */
    Activity(Clock clock, Predicate<SandboxId> recorded) {
        this.clock = clock;
        this.recorded = recorded;
    }

    /** Something was done with it just now. */
    public void touch(SandboxId sandbox) {
        of(sandbox).last = clock.millis();
    }

    /** Something was done with it then, unless later still something was. */
    void touch(SandboxId sandbox, Instant at) {
        Use use = of(sandbox);
        use.last = Math.max(use.last, at.toEpochMilli());
    }

    /** Something is being done with it, until the answer is closed. */
    public InUse begin(SandboxId sandbox) {
        Use use = of(sandbox);
        use.last = clock.millis();
        use.now.incrementAndGet();
        return () -> {
            use.last = clock.millis();
            use.now.decrementAndGet();
        };
    }

    /** Empty when nothing was done with it in this process's time. */
    Optional<Instant> last(SandboxId sandbox) {
        Use use = all.get(sandbox);
        if (use == null || (use.last == 0 && use.now.get() == 0)) {
            return Optional.empty();
        }
        return Optional.of(use.now.get() > 0 ? clock.instant() : Instant.ofEpochMilli(use.last));
    }

    void forget(SandboxId sandbox) {
        all.remove(sandbox);
    }

    /** How many are remembered. */
    int size() {
        return all.size();
    }

    private Use of(SandboxId sandbox) {
        Use known = all.get(sandbox);
        if (known != null) {
            return known;
        }
        // Asked while the map holds the entry: a remove takes the record first, and then forgets what is added here.
        Use added = all.computeIfAbsent(sandbox, id -> recorded.test(id) ? new Use() : null);
        return added == null ? new Use() : added;
    }

    /** Ends a use. */
    public interface InUse extends AutoCloseable {
        @Override
        void close();
    }

    private static final class Use {
        private final AtomicInteger now = new AtomicInteger();
        private volatile long last;
    }
}
