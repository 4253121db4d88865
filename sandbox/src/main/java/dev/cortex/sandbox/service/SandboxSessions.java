package dev.cortex.sandbox.service;

import dev.cortex.protocol.api.StartSession;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.State;
import dev.cortex.sandbox.guest.Guest;
import dev.cortex.sandbox.guest.SessionSpec;
import dev.cortex.sandbox.guest.SessionStatus;
import dev.cortex.sandbox.session.ArchivedReplay;
import dev.cortex.sandbox.session.Deliveries;
import dev.cortex.sandbox.session.LiveRelay;
import dev.cortex.sandbox.session.Output;
import dev.cortex.sandbox.session.OutputReader;
import dev.cortex.sandbox.session.PausedRelay;
import dev.cortex.sandbox.session.Relay;
import dev.cortex.sandbox.session.SessionLedger;
import dev.cortex.sandbox.session.SessionRequests;
import dev.cortex.sandbox.session.Sessions;
import dev.cortex.sandbox.store.Intent;
import dev.cortex.sandbox.store.SandboxRow;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * All that can be done with the sessions of a home's sandboxes. Thread-safe; every method blocks until it is done and
 * throws {@link CortexException}. A session is called by its id or the beginning of one.
 */
public final class SandboxSessions {
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(60);

    /** One question on the control stream; below the 30 s that a call may take. */
    private static final Duration QUESTION = Duration.ofSeconds(20);

    private final Ports ports;
    private final Records records;
    private final Guests guests;
    private final Deliveries deliveries;
    private final SessionLedger ledger;
    private final SessionRequests requests;
    private final Waking waking;
    private final Activity activity;
    private final Announcing announcing;

    SandboxSessions(
            Ports ports,
            Records records,
            Guests guests,
            Deliveries deliveries,
            SessionLedger ledger,
            SessionRequests requests,
            Waking waking,
            Activity activity,
            Announcing announcing) {
        this.ports = ports;
        this.records = records;
        this.guests = guests;
        this.deliveries = deliveries;
        this.ledger = ledger;
        this.requests = requests;
        this.waking = waking;
        this.activity = activity;
        this.announcing = announcing;
    }

    /** Starts a process; the same id again answers with the session that there is. */
    public SessionStatus start(String sandbox, StartSession request) {
        Running running = guests.running(records.require(sandbox));
        return started(running, requests.spec(request, running.row().settings().user()));
    }

    /** Starts a process for a client that attaches to it at once. */
    public Attached startAttached(String sandbox, StartSession request) {
        Running running = guests.running(records.require(sandbox));
        SessionSpec asked = requests.spec(request, running.row().settings().user());
        SessionStatus session = started(running, claimed(asked, asked.stdin()));
        return new Attached(session.id(), live(running, session.id()));
    }

    /** Runs a command to its end; terminal and claim of the request are ignored. */
    public Output exec(String sandbox, StartSession request, Optional<byte[]> stdin) {
        Running running = guests.running(records.require(sandbox));
        SessionSpec asked =
                requests.spec(withoutTerminal(request), running.row().settings().user());
        SessionStatus session = started(running, claimed(asked, stdin.isPresent()));
        Output output =
                OutputReader.toTheEnd(running.guest(), session.id(), stdin.orElse(new byte[0]), stdin.isPresent());
        if (output.cause().equals(Optional.of(SessionStatus.Cause.UNKNOWN))) {
            removed(running.row()).ifPresent(gone -> {
                throw gone;
            });
        }
        exitDelivered(running.row(), session.id());
        return output;
    }

    /** All sessions, those of earlier runs too, oldest first. */
    public List<SessionStatus> list(String sandbox) {
        return sessions(records.require(sandbox)).all();
    }

    /** @param wait for its end, at most a minute */
    public SessionStatus status(String sandbox, String session, Duration wait) {
        if (wait.isNegative() || wait.compareTo(LONGEST_WAIT) > 0) {
            throw CortexException.of(
                    ErrorCode.INVALID_ARGUMENT, "wait_ms must be 0 to " + LONGEST_WAIT.toMillis(), "ask again instead");
        }
        long deadline = System.nanoTime() + wait.toNanos();
        SandboxRow row = awake(sandbox, wait);
        Sessions.Found found = sessions(row).find(session);
        if (!found.live()) {
            return found.status();
        }
        SessionStatus status = found.status();
        Guest guest = guests.of(row);
        while (status.cause().isEmpty() && System.nanoTime() < deadline) {
            long left = Math.min(QUESTION.toNanos(), deadline - System.nanoTime());
            status = guest.status(status.id(), Duration.ofNanos(Math.max(0, left)));
        }
        ledger.saw(row.id(), status);
        return status;
    }

    /** @return how many processes were signalled */
    public int signal(String sandbox, String session, int signal, boolean all) {
        Running running = guests.running(records.require(sandbox));
        Sessions.Found found = sessions(running.row()).find(session);
        if (!found.live()) {
            return 0;
        }
        return running.guest().signal(found.status().id(), signal, all);
    }

    /** Kills what is left of a session and forgets its output. */
    public void remove(String sandbox, String session) {
        SandboxRow row = records.require(sandbox);
        Sessions.Found found = sessions(row).find(session);
        if (found.live()) {
            guests.of(row).removeSession(found.status().id());
        } else if (row.state() == State.PAUSED) {
            throw Guests.paused(row);
        }
        try {
            ports.archive()
                    .remove(ports.folders().sandbox(row.id()), found.status().id());
        } catch (IOException e) {
            throw CortexException.of(ErrorCode.INTERNAL, "the session could not be removed", "see daemon.log")
                    .because(e);
        }
    }

    /** What is kept of a session's output from a cursor on, whether it runs or not. */
    public Output output(String sandbox, String session, long from) {
        SandboxRow row = records.require(sandbox);
        Sessions.Found found = sessions(row).find(session);
        return found.live()
                ? OutputReader.now(guests.of(row), found.status(), from)
                : OutputReader.archived(ports.archive(), ports.folders().sandbox(row.id()), found.status(), from);
    }

    /** Attaches a client to a session; what it does is in the client's Handshake. */
    public Attached attach(String sandbox, String session) {
        SandboxRow row = records.require(sandbox);
        Sessions.Found found = sessions(row).find(session);
        String id = found.status().id();
        if (!found.live() && found.status().cause().isEmpty()) {
            Path folder = ports.folders().sandbox(row.id());
            return new Attached(id, new PausedRelay(ports.archive(), folder, found.status(), pause(row, id)));
        }
        Relay relay = found.live()
                ? live(new Running(row, guests.of(row)), id)
                : new ArchivedReplay(
                        ports.archive(),
                        ports.folders().sandbox(row.id()),
                        found.status(),
                        () -> exitDelivered(row, id));
        return new Attached(id, relay);
    }

    private PausedRelay.Pause pause(SandboxRow row, String session) {
        return new PausedRelay.Pause() {
            @Override
            public boolean over(Duration most) throws InterruptedException {
                return waking.await(row.id(), most);
            }

            @Override
            public Relay afterwards() {
                return attach(row.id().value(), session).relay();
            }
        };
    }

    /** The record once it does not stand still any more, or as it is after {@code most}. */
    private SandboxRow awake(String sandbox, Duration most) {
        SandboxRow row = records.require(sandbox);
        try {
            return row.state() == State.PAUSED && !most.isZero() && waking.await(row.id(), most)
                    ? records.require(row.id().value())
                    : row;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw CortexException.of(ErrorCode.CANCELLED, "cancelled while it waited for the end of a pause", "");
        }
    }

    private SessionStatus started(Running running, SessionSpec spec) {
        activity.touch(running.row().id());
        SessionStatus session = Primaries.startOnce(running.guest(), spec);
        ledger.saw(running.row().id(), session);
        announcing.sessionStarted(running.row(), session);
        return session;
    }

    private Relay live(Running running, String session) {
        SandboxRow row = running.row();
        return new LiveRelay(
                running.guest(),
                session,
                () -> exitDelivered(row, session),
                () -> activity.touch(row.id()),
                () -> removed(row));
    }

    /** That a sandbox was removed, or is being removed just now, with what ran in it. */
    private Optional<CortexException> removed(SandboxRow row) {
        boolean going = ports.store()
                .intent(row.id())
                .map(intent -> intent.kind() == Intent.Kind.REMOVE || intent.kind() == Intent.Kind.WIPE)
                .orElse(false);
        return going || ports.store().find(row.id()).isEmpty()
                ? Optional.of(CortexException.of(
                        ErrorCode.NOT_FOUND,
                        row.name() + " was removed, and what ran in it ended",
                        "cortex ls shows what there is"))
                : Optional.empty();
    }

    /** Only the end of a primary with which its sandbox goes is waited for. */
    private void exitDelivered(SandboxRow row, String session) {
        activity.touch(row.id());
        if (row.settings().removeOnExit() && session.equals(row.primary())) {
            deliveries.delivered(row.id(), session);
        }
    }

    private Sessions sessions(SandboxRow row) {
        Optional<Guest> guest = row.state() == State.RUNNING ? Optional.of(guests.of(row)) : Optional.empty();
        return new Sessions(row, guest, ports.archive(), ports.folders().sandbox(row.id()));
    }

    private static SessionSpec claimed(SessionSpec s, boolean stdin) {
        return new SessionSpec(
                s.id(),
                s.argv(),
                s.environment(),
                s.workdir(),
                s.user(),
                s.terminal(),
                stdin,
                true,
                s.timeout(),
                s.background(),
                s.label());
    }

    private static StartSession withoutTerminal(StartSession r) {
        return new StartSession(
                r.id(),
                r.argv(),
                r.argvB64(),
                r.env(),
                r.envB64(),
                r.cwd(),
                r.cwdB64(),
                r.user(),
                Optional.empty(),
                r.stdin(),
                r.claim(),
                r.timeoutMs(),
                r.background(),
                r.label());
    }

    /** @param session whole id */
    public record Attached(String session, Relay relay) {}
}
