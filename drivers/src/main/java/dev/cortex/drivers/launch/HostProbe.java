package dev.cortex.drivers.launch;

import dev.cortex.protocol.error.CortexException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What this host can do. It hardly ever changes, and asking takes as long as making a sandbox: an answer is kept for a
 * while, and whoever is about to refuse something asks again. Thread-safe.
 */
public final class HostProbe {
    /** A burst of refusals asks once, and whoever follows a remedy, a script too, sees its effect. */
    private static final Duration FRESH = Duration.ofMillis(300);

    /** What was there and is not there any more is told by the start that needs it. */
    private static final Duration KEPT = Duration.ofMinutes(5);

    private final Supplier<Probed> source;
    private final LongSupplier nanos;
    private @Nullable Probed last;
    private long askedAt;

    /** @param tools a folder with runtimes, which go before those in PATH */
    public HostProbe(Launcher launcher, Path tools) {
        this(() -> launcher.probe(tools), System::nanoTime);
    }

    HostProbe(Supplier<Probed> source, LongSupplier nanos) {
        this.source = source;
        this.nanos = nanos;
    }

    /** Asks in the background; who needs the answer meanwhile waits for it. */
    public void begin() {
        Thread.ofVirtual().name("host-probe").start(() -> {
            try {
                lately();
            } catch (CortexException e) {
                // Whoever needs the answer gets this error himself.
                System.getLogger(HostProbe.class.getName())
                        .log(System.Logger.Level.DEBUG, () -> "probe failed: " + e.getMessage());
            }
        });
    }

    /**
     * As it is now.
     *
     * @throws CortexException NOT_READY when the launcher cannot run
     */
    public Probed now() {
        return notOlderThan(FRESH);
    }

    /**
     * As it was last seen, a while ago at most.
     *
     * @throws CortexException NOT_READY when the launcher cannot run
     */
    public Probed lately() {
        return notOlderThan(KEPT);
    }

    private synchronized Probed notOlderThan(Duration age) {
        Probed known = last;
        if (known != null && nanos.getAsLong() - askedAt < age.toNanos()) {
            return known;
        }
        Probed asked = source.get();
        last = asked;
        askedAt = nanos.getAsLong();
        return asked;
    }
}
