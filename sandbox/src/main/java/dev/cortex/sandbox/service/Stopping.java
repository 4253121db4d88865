package dev.cortex.sandbox.service;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.sandbox.State;
import dev.cortex.sandbox.Trigger;
import dev.cortex.sandbox.session.SessionLedger;
import dev.cortex.sandbox.store.Intent;
import dev.cortex.sandbox.store.SandboxRow;
import java.time.Duration;

/** Stops a sandbox: sessions end, their output comes to the host, then everything but the disk goes. */
final class Stopping {
    private static final System.Logger LOG = System.getLogger("dev.cortex.sandbox");

    /** Sessions have ended by then. */
    private static final Duration SHUTDOWN = Duration.ofMillis(100);

    private final Ports ports;
    private final Booting booting;
    private final Draining draining;
    private final Guests guests;
    private final SessionLedger ledger;
    private final Waking waking;
    private final Announcing announcing;

    Stopping(
            Ports ports,
            Booting booting,
            Draining draining,
            Guests guests,
            SessionLedger ledger,
            Waking waking,
            Announcing announcing) {
        this.ports = ports;
        this.booting = booting;
        this.draining = draining;
        this.guests = guests;
        this.ledger = ledger;
        this.waking = waking;
        this.announcing = announcing;
    }

    /**
     * The lease is held. Once begun it goes on although the caller is interrupted.
     *
     * @param grace between TERM and KILL of sessions
     */
    SandboxRow stop(SandboxRow row, Duration grace, String why) {
        Records.require(row, Trigger.STOP);
        ports.store().begin(new Intent(row.id(), Intent.Kind.STOP, ports.clock().instant()));
        ports.boundaries().crossed(Boundary.STOP_BEGUN);
        SandboxRow[] stopped = {row};
        Calmly.run(() -> stopped[0] = finish(row, grace, why));
        return stopped[0];
    }

    /** Does what is left of a stop, from wherever it was cut off. */
    SandboxRow finish(SandboxRow row, Duration grace, String why) {
        // Of one that stands still the host has everything already, and its neuron cannot be asked.
        boolean answers = row.state() != State.PAUSED && draining.drain(row, grace);
        ports.boundaries().crossed(Boundary.STOP_DRAINED);
        if (answers) {
            shutDown(row);
        }
        ports.boundaries().crossed(Boundary.STOP_SHUTDOWN);
        return release(row, why);
    }

    /** Ends everything without asking the guest. */
    SandboxRow release(SandboxRow row, String why) {
        try {
            booting.release(row);
            ports.boundaries().crossed(Boundary.STOP_RELEASED);
        } catch (CortexException e) {
            SandboxRow failed =
                    row.failed("stop failed: " + e.getMessage(), ports.clock().instant());
            ports.store().complete(failed);
            waking.over(row.id());
            announcing.failed(failed);
            throw e;
        }
        draining.settle(row);
        ledger.forget(row.id());
        SandboxRow stopped = row.stopped(why, ports.clock().instant());
        ports.store().complete(stopped);
        ports.boundaries().crossed(Boundary.STOP_COMPLETED);
        waking.over(row.id());
        announcing.stopped(stopped);
        return stopped;
    }

    /** The lease is held: takes away what a failure left behind, and lets it be started again. */
    SandboxRow reset(SandboxRow row) {
        Records.require(row, Trigger.RESET);
        ports.store().begin(new Intent(row.id(), Intent.Kind.STOP, ports.clock().instant()));
        ports.boundaries().crossed(Boundary.STOP_BEGUN);
        SandboxRow[] stopped = {row};
        Calmly.run(() -> stopped[0] = release(row, "reset by you"));
        return stopped[0];
    }

    private void shutDown(SandboxRow row) {
        try {
            guests.of(row).shutdown(SHUTDOWN);
        } catch (CortexException e) {
            LOG.log(System.Logger.Level.DEBUG, row.name() + " did not answer its shutdown: " + e.getMessage());
        }
    }
}
