package dev.cortex.sandbox.service;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.State;
import dev.cortex.sandbox.guest.Guest;
import dev.cortex.sandbox.guest.SessionSpec;
import dev.cortex.sandbox.guest.SessionStatus;
import dev.cortex.sandbox.lease.Lease;
import dev.cortex.sandbox.session.Deliveries;
import dev.cortex.sandbox.session.SessionLedger;
import dev.cortex.sandbox.store.SandboxRow;
import java.time.Duration;

/**
 * Primary sessions, and sandboxes that go with them: once the command has ended and its holder knows (or nobody came
 * for it), the record is removed, with its disk where nobody named it.
 */
final class Primaries {
    /** A holder's claim outlives its stream by as much (DESIGN section 6): a client that reconnects finds the end. */
    private static final Duration CLAIM = Duration.ofSeconds(30);

    /** One question on the stream that is open anyway; below the 30 s that a call may take. */
    private static final Duration QUESTION = Duration.ofSeconds(20);

    private static final Duration PAUSE = Duration.ofMillis(500);

    /** A wait for the end of a pause is looked after so often. */
    private static final Duration STILL = Duration.ofHours(1);

    private static final Duration EXPECTED = Duration.ofSeconds(30);

    private final Ports ports;
    private final Guests guests;
    private final Deliveries deliveries;
    private final SessionLedger ledger;
    private final Exclusive exclusive;
    private final Removing removing;
    private final Waking waking;
    private final Background background;
    private final Announcing announcing;

    Primaries(
            Ports ports,
            Guests guests,
            Deliveries deliveries,
            SessionLedger ledger,
            Exclusive exclusive,
            Removing removing,
            Waking waking,
            Background background,
            Announcing announcing) {
        this.ports = ports;
        this.guests = guests;
        this.deliveries = deliveries;
        this.ledger = ledger;
        this.exclusive = exclusive;
        this.removing = removing;
        this.waking = waking;
        this.background = background;
        this.announcing = announcing;
    }

    /** Starts it in a sandbox that is about to be running. */
    void start(SandboxRow row, SessionSpec spec) {
        SessionStatus session = startOnce(guests.of(row), spec);
        ledger.saw(row.id(), session);
        announcing.sessionStarted(row, session);
    }

    /** The id was minted here: asked again after a lost stream, the neuron answers with the session that there is. */
    static SessionStatus startOnce(Guest guest, SessionSpec spec) {
        try {
            return guest.exec(spec);
        } catch (CortexException e) {
            if (e.code() != ErrorCode.GUEST_LOST) {
                throw e;
            }
            return guest.exec(spec);
        }
    }

    /** Whether a sandbox that goes with its primary still has one to wait for. */
    boolean exists(SandboxRow row) {
        try {
            guests.of(row).status(row.primary(), Duration.ZERO);
            return true;
        } catch (CortexException e) {
            return e.code() != ErrorCode.NOT_FOUND;
        }
    }

    /** Waits for the end of a sandbox's primary and removes the sandbox then, in the background. */
    void follow(SandboxRow row) {
        if (row.settings().removeOnExit() && !row.primary().isEmpty()) {
            background.start("primary of " + row.name(), () -> {
                if (ended(row)) {
                    leave(row);
                }
            });
        }
    }

    /** Removes a sandbox whose primary cannot run on, once its holder knows. */
    void depart(SandboxRow row) {
        if (row.settings().removeOnExit()) {
            background.start("departure of " + row.name(), () -> leave(row));
        }
    }

    /** Returns true when it ended; false when it is no longer ours to watch. */
    private boolean ended(SandboxRow row) {
        while (awaitAwake(row)) {
            try {
                SessionStatus status = guests.of(row).status(row.primary(), QUESTION);
                ledger.saw(row.id(), status);
                if (status.cause().isPresent()) {
                    announcing.sessionEnded(row, status);
                    return true;
                }
            } catch (CortexException e) {
                if (e.code() == ErrorCode.NOT_FOUND) {
                    return true;
                }
                if (!background.sleep(PAUSE)) {
                    return false;
                }
            }
            if (!isUp(row)) {
                return false;
            }
        }
        return false;
    }

    /** A command of a sandbox that stands still does not end. False when this process's work is over. */
    private boolean awaitAwake(SandboxRow row) {
        try {
            while (!background.closed() && !waking.await(row.id(), STILL)) {
                continue;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return !background.closed();
    }

    private boolean isUp(SandboxRow row) {
        return ports.store()
                .find(row.id())
                .filter(now -> now.state() == State.RUNNING || now.state() == State.PAUSED)
                .filter(now -> now.generation() == row.generation())
                .isPresent();
    }

    private void leave(SandboxRow row) {
        try {
            deliveries.await(row.id(), row.primary(), CLAIM);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        }
        try {
            remove(row);
        } finally {
            deliveries.forget(row.id());
        }
    }

    /** At once: nobody can be waiting. What was started again meanwhile is no longer that sandbox's end. */
    void remove(SandboxRow row) {
        if (background.closed()) {
            return;
        }
        try (Lease lease = exclusive.take(row, "remove", EXPECTED)) {
            ports.store()
                    .find(row.id())
                    .filter(now -> now.generation() == row.generation())
                    .ifPresent(now -> removing.erase(now, false));
        } catch (CortexException e) {
            // Somebody else's operation takes long; nobody but us would remove it after that.
            if (e.code() != ErrorCode.BUSY || !background.sleep(PAUSE)) {
                throw e;
            }
            remove(row);
        }
    }
}
