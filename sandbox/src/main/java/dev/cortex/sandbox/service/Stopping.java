package dev.cortex.sandbox.service;

import dev.cortex.protocol.error.CortexException;
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
    private final Announcing announcing;

    Stopping(
            Ports ports,
            Booting booting,
            Draining draining,
            Guests guests,
            SessionLedger ledger,
            Announcing announcing) {
        this.ports = ports;
        this.booting = booting;
        this.draining = draining;
        this.guests = guests;
        this.ledger = ledger;
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
        ports.boundaries().crossed("stop.begun");
        SandboxRow[] stopped = {row};
        Calmly.run(() -> stopped[0] = finish(row, grace, why));
        return stopped[0];
    }

    /** Does what is left of a stop, from wherever it was cut off. */
    SandboxRow finish(SandboxRow row, Duration grace, String why) {
        boolean answers = draining.drain(row, grace);
        ports.boundaries().crossed("stop.drained");
        if (answers) {
            shutDown(row);
        }
        ports.boundaries().crossed("stop.shutdown");
        return release(row, why);
    }

    /** Ends everything without asking the guest. */
    SandboxRow release(SandboxRow row, String why) {
        try {
            booting.release(row);
            ports.boundaries().crossed("stop.released");
        } catch (CortexException e) {
            SandboxRow failed =
                    row.failed("stop failed: " + e.getMessage(), ports.clock().instant());
            ports.store().complete(failed);
            announcing.failed(failed);
            throw e;
        }
        ledger.forget(row.id());
        SandboxRow stopped = row.stopped(why, ports.clock().instant());
        ports.store().complete(stopped);
        ports.boundaries().crossed("stop.completed");
        announcing.stopped(stopped);
        return stopped;
    }

    private void shutDown(SandboxRow row) {
        try {
            guests.of(row).shutdown(SHUTDOWN);
        } catch (CortexException e) {
            LOG.log(System.Logger.Level.DEBUG, row.name() + " did not answer its shutdown: " + e.getMessage());
        }
    }
}
