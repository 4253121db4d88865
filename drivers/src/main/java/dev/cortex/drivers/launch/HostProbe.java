package dev.cortex.drivers.launch;

import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What this host can do, asked again when the last answer is older than a moment: a person who follows a remedy sees
 * its effect, and a burst of creates asks once. Thread-safe.
 */
public final class HostProbe {
    private static final Duration FRESH = Duration.ofSeconds(10);

    private final Supplier<Probed> source;
    private final LongSupplier nanos;
    private final Duration fresh;
    private @Nullable Probed last;
    private long askedAt;

    public HostProbe(Launcher launcher) {
        this(launcher::probe, System::nanoTime, FRESH);
    }

    HostProbe(Supplier<Probed> source, LongSupplier nanos, Duration fresh) {
        this.source = source;
        this.nanos = nanos;
        this.fresh = fresh;
    }

    /**
     * Asked again when it is older than a moment.
     *
     * @throws dev.cortex.protocol.error.CortexException NOT_READY when the launcher cannot run
     */
    public synchronized Probed now() {
        Probed known = last;
        if (known != null && nanos.getAsLong() - askedAt < fresh.toNanos()) {
            return known;
        }
        Probed asked = source.get();
        last = asked;
        askedAt = nanos.getAsLong();
        return asked;
    }

    /**
     * As it was last asked, however long ago: a start must not wait for what hardly ever changes, and says by itself
     * what no longer holds.
     *
     * @throws dev.cortex.protocol.error.CortexException NOT_READY when it was never asked and the launcher cannot run
     */
    public synchronized Probed lately() {
        Probed known = last;
        return known == null ? now() : known;
    }
}
