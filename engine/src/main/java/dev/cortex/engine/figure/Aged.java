package dev.cortex.engine.figure;

import dev.cortex.protocol.error.CortexException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * An answer that costs something and is therefore kept for a while. Whoever asks never waits for it: a new one is fetched
 * beside, on a thread of its own, and is there for the next who asks. Thread-safe.
 */
final class Aged<T> {
    private static final System.Logger LOG = System.getLogger("dev.cortex.engine");

    private final String what;
    private final Duration life;
    private final Supplier<T> source;
    private final AtomicBoolean fetching = new AtomicBoolean();
    private volatile Optional<Answer<T>> answer = Optional.empty();

    private record Answer<T>(T value, long nanos) {}

    /** @param what is asked for, for the log */
    Aged(String what, Duration life, Supplier<T> source) {
        this.what = what;
        this.life = life;
        this.source = source;
    }

    /** The latest that there is; empty until the first has come. */
    Optional<T> latest() {
        Optional<Answer<T>> now = answer;
        boolean old = now.isEmpty() || System.nanoTime() - now.get().nanos() >= life.toNanos();
        if (old && fetching.compareAndSet(false, true)) {
            Thread.ofVirtual().name(what).start(this::fetch);
        }
        return now.map(Answer::value);
    }

    private void fetch() {
        try {
            answer = Optional.of(new Answer<>(source.get(), System.nanoTime()));
        } catch (CortexException e) {
            // What was known is no longer so.
            answer = Optional.empty();
            LOG.log(System.Logger.Level.DEBUG, what + ": " + e.getMessage());
        } catch (RuntimeException e) {
            answer = Optional.empty();
            LOG.log(System.Logger.Level.WARNING, what, e);
        } finally {
            fetching.set(false);
        }
    }
}
