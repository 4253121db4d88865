package dev.cortex.sandbox.service;

import dev.cortex.protocol.api.CreateSandbox;
import dev.cortex.protocol.api.Lifecycle.Removed;
import dev.cortex.protocol.api.StartSession;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.SandboxId;
import dev.cortex.sandbox.SandboxIds;
import dev.cortex.sandbox.State;
import dev.cortex.sandbox.event.EventBus;
import dev.cortex.sandbox.guest.Guest;
import dev.cortex.sandbox.guest.SessionSpec;
import dev.cortex.sandbox.guest.SessionStatus;
import dev.cortex.sandbox.lease.Leases;
import dev.cortex.sandbox.session.ArchivedReplay;
import dev.cortex.sandbox.session.Deliveries;
import dev.cortex.sandbox.session.LiveRelay;
import dev.cortex.sandbox.session.Output;
import dev.cortex.sandbox.session.OutputReader;
import dev.cortex.sandbox.session.Relay;
import dev.cortex.sandbox.session.SessionLedger;
import dev.cortex.sandbox.session.SessionRequests;
import dev.cortex.sandbox.session.Sessions;
import dev.cortex.sandbox.store.DiskRow;
import dev.cortex.sandbox.store.SandboxRow;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * All that can be done with the sandboxes of one home. Thread-safe; every method blocks until it is done and throws
 * {@link CortexException}. A sandbox is called by its name or its id, a session by its id or the beginning of one.
 *
 * <p>Interrupting a thread that creates or starts a sandbox cancels that: nothing is left behind. A stop or remove that
 * has begun is finished all the same.
 */
public final class SandboxService implements AutoCloseable {
    /** Between TERM and KILL of the sessions of a sandbox that is stopped. */
    public static final Duration GRACE = Duration.ofSeconds(2);

    private static final Duration LONGEST_GRACE = Duration.ofMinutes(10);
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(60);

    /** One question on the control stream; below the 30 s that a call may take. */
    private static final Duration QUESTION = Duration.ofSeconds(20);

    private static final Duration START = Duration.ofMinutes(1);
    private static final Duration STOP = Duration.ofSeconds(30);

    private final Ports ports;
    private final Drivers drivers;
    private final Records records;
    private final Guests guests;
    private final Exclusive exclusive;
    private final Background background;
    private final ScheduledExecutorService timer;
    private final EventBus events;
    private final Announcing announcing;
    private final Deliveries deliveries = new Deliveries();
    private final SessionLedger ledger = new SessionLedger();
    private final SessionRequests requests;
    private final Creating creating;
    private final Starting starting;
    private final Stopping stopping;
    private final Removing removing;
    private final Primaries primaries;
    private final Watching watching;
    private final Recovering recovering;
    private final CountDownLatch recovered;

    /** Opens the home's sandboxes and begins to recover what a crash may have left. */
    public SandboxService(Ports ports) {
        SecureRandom random = new SecureRandom();
        SandboxIds ids = new SandboxIds(ports.clock(), random);
        this.ports = ports;
        this.drivers = new Drivers(ports.drivers());
        this.records = new Records(ports.store());
        this.guests = new Guests(drivers, ports.connector());
        this.exclusive = new Exclusive(new Leases(ports.clock()), records, ports.store());
        this.background = new Background();
        this.timer = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().daemon().name("core-timer").factory());
        this.events = new EventBus(ports.clock());
        this.announcing = new Announcing(events);
        this.requests = new SessionRequests(ids);
        Disks disks = new Disks(ports.store(), ports.folders(), drivers);
        Booting booting = new Booting(ports, drivers, guests, random);
        Erasing erasing = new Erasing(ports, drivers, booting);
        this.removing = new Removing(ports, exclusive, records, disks, erasing, ledger, announcing);
        this.primaries = new Primaries(ports, guests, deliveries, ledger, exclusive, removing, background, announcing);
        Admission admission = new Admission(drivers, ports.images(), ports.store(), requests, random);
        this.creating = new Creating(ports, admission, ids, exclusive, disks, booting, erasing, primaries, announcing);
        this.starting = new Starting(ports, drivers, disks, booting, announcing);
        Draining draining = new Draining(ports.archive(), ports.folders(), guests, ports.clock(), timer);
        this.stopping = new Stopping(ports, booting, draining, guests, ledger, announcing);
        this.watching = new Watching(ports, drivers, guests, ledger, exclusive, stopping, primaries, background);
        this.recovering = new Recovering(
                ports,
                drivers,
                guests,
                ledger,
                exclusive,
                creating,
                erasing,
                starting,
                stopping,
                removing,
                watching,
                primaries,
                background,
                announcing);
        this.recovered = recovering.begin();
    }

    // ---- sandboxes

    public SandboxRow create(CreateSandbox request) {
        return make(request, "");
    }

    /**
     * The same create again, whether this process or one before it got it first, answers with the sandbox that it made.
     *
     * @param key chosen by the caller, the same for the same create
     */
    public SandboxRow create(CreateSandbox request, String key) {
        return ports.store()
                .findByCreateKey(key)
                .flatMap(earlier -> settled(earlier.id()))
                .orElseGet(() -> make(request, key));
    }

    /** Once no operation changes it any more; empty when that has removed it. */
    private Optional<SandboxRow> settled(SandboxId id) {
        try {
            return Optional.of(exclusive.on(id.value(), "create", START, this::settle, row -> row));
        } catch (CortexException e) {
            if (e.code() == ErrorCode.NOT_FOUND) {
                return Optional.empty();
            }
            throw e;
        }
    }

    private SandboxRow make(CreateSandbox request, String key) {
        SandboxRow row = creating.create(request, key);
        if (row.state() == State.RUNNING) {
            watching.watch(row);
        }
        return row;
    }

    public SandboxRow start(String sandbox) {
        SandboxRow row = exclusive.on(sandbox, "start", START, this::settle, starting::start);
        watching.watch(row);
        return row;
    }

    /** @param grace between TERM and KILL of its sessions, at most ten minutes */
    public SandboxRow stop(String sandbox, Duration grace) {
        if (grace.isNegative() || grace.compareTo(LONGEST_GRACE) > 0) {
            throw CortexException.of(
                    ErrorCode.INVALID_ARGUMENT, "grace_ms must be 0 to " + LONGEST_GRACE.toMillis(), "leave it out");
        }
        SandboxRow row = exclusive.on(
                sandbox, "stop", STOP.plus(grace), this::settle, now -> stopping.stop(now, grace, "stopped by you"));
        primaries.depart(row);
        return row;
    }

    /**
     * Removes a record; its disk stays if it has a name.
     *
     * @param force also when it is running
     * @param wipe its disk goes too; also names a disk that was kept without a record
     */
    public Removed remove(String sandbox, boolean force, boolean wipe) {
        if (records.find(sandbox).isEmpty()) {
            return removing.removeKeptDisk(sandbox, wipe);
        }
        return exclusive.on(sandbox, "remove", STOP, this::settle, row -> removing.remove(row, force, wipe));
    }

    public SandboxRow find(String sandbox) {
        return records.require(sandbox);
    }

    /** A page by name, behind {@code after}. */
    public List<SandboxRow> list(String after, int most) {
        return ports.store().list(after, most);
    }

    public int count() {
        return ports.store().count();
    }

    /** Disks whose record has gone. */
    public List<DiskRow> keptDisks() {
        return ports.store().disks().stream()
                .filter(disk -> records.find(disk.name()).isEmpty())
                .toList();
    }

    public Optional<DiskRow> disk(SandboxRow row) {
        return ports.store().disk(row.settings().disk());
    }

    /** Where a disk lies on the host. */
    public Path diskFolder(DiskRow disk) {
        return ports.folders().disk(disk);
    }

    /** Bytes that a disk takes on the host. */
    public long diskUsage(DiskRow disk) {
        return drivers.named(disk.driver()).diskUsage(diskFolder(disk));
    }

    /** The user of its sessions, unless a session says otherwise. */
    public String userOf(SandboxRow row) {
        if (!row.settings().user().isEmpty()) {
            return row.settings().user();
        }
        Path folder = disk(row).map(this::diskFolder).orElse(ports.folders().home());
        return drivers.named(row.settings().driver()).placement(folder).user().name();
    }

    /** A running sandbox with its neuron; fails with NOT_RUNNING or PAUSED otherwise. */
    public Running running(String sandbox) {
        SandboxRow row = records.require(sandbox);
        return switch (row.state()) {
            case RUNNING -> new Running(row, guests.of(row));
            case PAUSED ->
                throw CortexException.of(ErrorCode.PAUSED, row.name() + " is paused", "cortex resume " + row.name());
            case CREATED, STOPPED, ERROR -> throw notRunning(row);
        };
    }

    public Drivers drivers() {
        return drivers;
    }

    public EventBus events() {
        return events;
    }

    // ---- sessions

    /** Starts a process; the same id again answers with the session that there is. */
    public SessionStatus startSession(String sandbox, StartSession request) {
        Running running = running(sandbox);
        return startSession(
                running, requests.spec(request, running.row().settings().user()));
    }

    /** Starts a process for a client that attaches to it at once. */
    public Attached startAttached(String sandbox, StartSession request) {
        Running running = running(sandbox);
        SessionSpec asked = requests.spec(request, running.row().settings().user());
        SessionStatus session = startSession(running, claimed(asked, asked.stdin()));
        return new Attached(session.id(), live(running, session.id()));
    }

    /** Runs a command to its end; terminal and claim of the request are ignored. */
    public Output exec(String sandbox, StartSession request, Optional<byte[]> stdin) {
        Running running = running(sandbox);
        SessionSpec asked =
                requests.spec(withoutTerminal(request), running.row().settings().user());
        SessionStatus session = startSession(running, claimed(asked, stdin.isPresent()));
        Output output =
                OutputReader.toTheEnd(running.guest(), session.id(), stdin.orElse(new byte[0]), stdin.isPresent());
        exitDelivered(running.row(), session.id());
        return output;
    }

    /** All sessions, those of earlier runs too, oldest first. */
    public List<SessionStatus> sessions(String sandbox) {
        return sessions(records.require(sandbox)).all();
    }

    /** @param wait for its end, at most a minute */
    public SessionStatus session(String sandbox, String session, Duration wait) {
        if (wait.isNegative() || wait.compareTo(LONGEST_WAIT) > 0) {
            throw CortexException.of(
                    ErrorCode.INVALID_ARGUMENT, "wait_ms must be 0 to " + LONGEST_WAIT.toMillis(), "ask again instead");
        }
        SandboxRow row = records.require(sandbox);
        Sessions.Found found = sessions(row).find(session);
        if (!found.live()) {
            return found.status();
        }
        SessionStatus status = found.status();
        long deadline = System.nanoTime() + wait.toNanos();
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
        Running running = running(sandbox);
        Sessions.Found found = sessions(running.row()).find(session);
        if (!found.live()) {
            return 0;
        }
        return running.guest().signal(found.status().id(), signal, all);
    }

    /** Kills what is left of a session and forgets its output. */
    public void removeSession(String sandbox, String session) {
        SandboxRow row = records.require(sandbox);
        Sessions.Found found = sessions(row).find(session);
        if (found.live()) {
            guests.of(row).removeSession(found.status().id());
            return;
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
        Relay relay = found.live()
                ? live(new Running(row, guests.of(row)), id)
                : new ArchivedReplay(
                        ports.archive(),
                        ports.folders().sandbox(row.id()),
                        found.status(),
                        () -> exitDelivered(row, id));
        return new Attached(id, relay);
    }

    // ---- the whole

    /** Waits until the recovery that began with this object has looked at everything; false when it takes longer. */
    public boolean awaitRecovery(Duration most) throws InterruptedException {
        return recovered.await(most.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Leaves every sandbox as it is: they run on without us. */
    @Override
    public void close() {
        background.close();
        timer.shutdownNow();
        guests.close();
        events.close();
    }

    private Optional<SandboxRow> settle(SandboxRow row) {
        return recovering.settle(row);
    }

    private SessionStatus startSession(Running running, SessionSpec spec) {
        SessionStatus session = Primaries.startOnce(running.guest(), spec);
        ledger.saw(running.row().id(), session);
        announcing.sessionStarted(running.row(), session);
        return session;
    }

    private Relay live(Running running, String session) {
        return new LiveRelay(running.guest(), session, () -> exitDelivered(running.row(), session));
    }

    /** Only the end of a primary with which its sandbox goes is waited for. */
    private void exitDelivered(SandboxRow row, String session) {
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

    private static CortexException notRunning(SandboxRow row) {
        String why = row.reason().isEmpty() ? "" : " (" + row.reason() + ")";
        return CortexException.of(
                ErrorCode.NOT_RUNNING,
                row.name() + " is " + row.state().word() + why,
                row.state() == State.ERROR ? "cortex inspect " + row.name() : "cortex start " + row.name());
    }

    /** @param session whole id */
    public record Attached(String session, Relay relay) {}
}
