package dev.cortex.sandbox.service;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.sandbox.Lifecycle;
import dev.cortex.sandbox.Lifecycle.Outcome;
import dev.cortex.sandbox.Trigger;
import dev.cortex.sandbox.driver.Handle;
import dev.cortex.sandbox.driver.Observation;
import dev.cortex.sandbox.lease.Lease;
import dev.cortex.sandbox.session.SessionLedger;
import dev.cortex.sandbox.store.Intent;
import dev.cortex.sandbox.store.SandboxRow;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Notices at once when a sandbox dies: the end of the control stream is the sign, what the driver then observes is the
 * proof. What cannot be told is asked again, and kept.
 */
final class Watching {
    private static final System.Logger LOG = System.getLogger("dev.cortex.sandbox");
    private static final Duration EXPECTED = Duration.ofSeconds(30);

    /** The first process outlives its last stream by moments. */
    private static final Duration FIRST_PAUSE = Duration.ofMillis(20);

    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

    private final Ports ports;
    private final Drivers drivers;
    private final Guests guests;
    private final SessionLedger ledger;
    private final Exclusive exclusive;
    private final Draining draining;
    private final Stopping stopping;
    private final Primaries primaries;
    private final Lifetimes lifetimes;
    private final Outlets outlets;
    private final Background background;

    Watching(
            Ports ports,
            Drivers drivers,
            Guests guests,
            SessionLedger ledger,
            Exclusive exclusive,
            Draining draining,
            Stopping stopping,
            Primaries primaries,
            Lifetimes lifetimes,
            Outlets outlets,
            Background background) {
        this.ports = ports;
        this.drivers = drivers;
        this.guests = guests;
        this.ledger = ledger;
        this.exclusive = exclusive;
        this.draining = draining;
        this.stopping = stopping;
        this.primaries = primaries;
        this.lifetimes = lifetimes;
        this.outlets = outlets;
        this.background = background;
    }

    /** Watches a sandbox that is running, and its primary, until it is not. */
    void watch(SandboxRow row) {
        background.start("watch of " + row.name(), () -> {
            follow(row);
            // Looking for the end may have connected anew after whoever ended it had let go.
            guests.forget(row);
        });
        primaries.follow(row);
        lifetimes.watch(row);
        outlets.attend(row);
    }

    private void follow(SandboxRow row) {
        Duration pause = FIRST_PAUSE;
        while (isCurrent(row)) {
            long begun = System.nanoTime();
            try {
                guests.awaitEnd(row, ports.store().find(row.id()).map(SandboxRow::state));
            } catch (CortexException e) {
                LOG.log(System.Logger.Level.DEBUG, row.name() + ": " + e.getMessage());
            }
            if (!isCurrent(row)) {
                return;
            }
            if (!beingChanged(row) && observe(row) == Observation.ABSENT) {
                lose(row);
            }
            boolean lasted = System.nanoTime() - begun > LONGEST_PAUSE.toNanos();
            pause = lasted ? FIRST_PAUSE : pause;
            if (!background.sleep(pause)) {
                return;
            }
            Duration doubled = pause.multipliedBy(2);
            pause = doubled.compareTo(LONGEST_PAUSE) < 0 ? doubled : LONGEST_PAUSE;
        }
    }

    /** Whether the record still says that this very start is running. */
    private boolean isCurrent(SandboxRow row) {
        return !background.closed()
                && ports.store()
                        .find(row.id())
                        .filter(now -> now.generation() == row.generation() && isUp(now))
                        .isPresent();
    }

    /** An operation ends it right now, and will say so itself. */
    private boolean beingChanged(SandboxRow row) {
        return ports.store().intent(row.id()).isPresent();
    }

    private static boolean isUp(SandboxRow row) {
        return Lifecycle.transition(row.state(), Trigger.LOSE) instanceof Outcome.Becomes;
    }

    private Observation observe(SandboxRow row) {
        return row.handle().map(this::observe).orElse(Observation.ABSENT);
    }

    private Observation observe(Handle handle) {
        try {
            return drivers.named(handle.driver()).observe(List.of(handle)).getOrDefault(handle, Observation.UNKNOWN);
        } catch (CortexException e) {
            return Observation.UNKNOWN;
        }
    }

    private void lose(SandboxRow row) {
        try (Lease lease = exclusive.take(row, "recovery", EXPECTED)) {
            // A stop or remove may have been the reason, and has the last word.
            Optional<SandboxRow> now =
                    ports.store().find(row.id()).filter(r -> isCurrent(row)).filter(r -> !beingChanged(r));
            now.filter(r -> observe(r) == Observation.ABSENT).ifPresent(this::lost);
        } catch (CortexException e) {
            // The lease may be held for long, and nobody else would notice this death: it is looked at again.
            LOG.log(System.Logger.Level.WARNING, row.name() + " is gone, which is not recorded yet: " + e.getMessage());
        }
    }

    /** The lease is held, and the driver says that nothing of it is left. */
    void lost(SandboxRow row) {
        ports.boundaries().crossed(Boundary.LOST_SEEN);
        ports.store().begin(new Intent(row.id(), Intent.Kind.LOSE, ports.clock().instant()));
        String why = Epitaph.of(causeOfDeath(row), ports.folders().sandbox(row.id()));
        draining.lost(row, ledger.lost(row.id(), ports.clock().instant()));
        SandboxRow stopped = stopping.release(row, why);
        primaries.depart(stopped);
    }

    private Optional<String> causeOfDeath(SandboxRow row) {
        try {
            return row.handle().flatMap(handle -> drivers.named(handle.driver()).causeOfDeath(handle));
        } catch (CortexException e) {
            return Optional.empty();
        }
    }
}
