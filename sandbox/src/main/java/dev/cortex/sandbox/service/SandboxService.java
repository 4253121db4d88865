package dev.cortex.sandbox.service;

import dev.cortex.protocol.api.CreateSandbox;
import dev.cortex.protocol.api.Lifecycle.Removed;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.SandboxId;
import dev.cortex.sandbox.SandboxIds;
import dev.cortex.sandbox.State;
import dev.cortex.sandbox.disk.DiskUsage;
import dev.cortex.sandbox.disk.PoolState;
import dev.cortex.sandbox.event.EventBus;
import dev.cortex.sandbox.guest.SessionStatus;
import dev.cortex.sandbox.lease.Leases;
import dev.cortex.sandbox.session.Deliveries;
import dev.cortex.sandbox.session.ForwardRelay;
import dev.cortex.sandbox.session.Relay;
import dev.cortex.sandbox.session.SessionLedger;
import dev.cortex.sandbox.session.SessionRequests;
import dev.cortex.sandbox.store.DiskRow;
import dev.cortex.sandbox.store.SandboxRow;
import dev.cortex.sandbox.store.SpareKind;
import dev.cortex.sandbox.terms.Lifetime.Then;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

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

    private static final Duration START = Duration.ofMinutes(1);
    private static final Duration STOP = Duration.ofSeconds(30);
    private static final Duration PAUSE = Duration.ofMinutes(1);

    /** Between two looks at what first processes have said. */
    private static final Duration CONSOLES = Duration.ofSeconds(10);

    private final Ports ports;
    private final Drivers drivers;
    private final Disks disks;
    private final Records records;
    private final Guests guests;
    private final Exclusive exclusive;
    private final Background background;
    private final ScheduledExecutorService timer;
    private final EventBus events;
    private final Announcing announcing;
    private final SandboxSessions sessions;
    private final Activity activity;
    private final Waking waking = new Waking();
    private final Lifetimes lifetimes;
    private final Pausing pausing;
    private final Resuming resuming;
    private final Spares spares;
    private final Creating creating;
    private final Starting starting;
    private final Stopping stopping;
    private final Removing removing;
    private final Pruning pruning;
    private final Primaries primaries;
    private final Watching watching;
    private final SandboxEgress egress;
    private final Recovering recovering;
    private final Workspaces workspaces;
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
        var _ = timer.scheduleWithFixedDelay(
                new Consoles(ports.folders())::look, CONSOLES.toSeconds(), CONSOLES.toSeconds(), TimeUnit.SECONDS);
        this.events = new EventBus(ports.clock());
        this.announcing = new Announcing(events);
        Deliveries deliveries = new Deliveries();
        SessionLedger ledger = new SessionLedger();
        SessionRequests requests = new SessionRequests(ids);
        this.activity = new Activity(ports.clock(), id -> ports.store().find(id).isPresent());
        this.sessions =
                new SandboxSessions(ports, records, guests, deliveries, ledger, requests, waking, activity, announcing);
        this.disks = new Disks(ports, drivers);
        Booting booting = new Booting(ports, drivers, guests, random);
        Erasing erasing = new Erasing(ports, drivers, disks, booting);
        this.removing = new Removing(ports, exclusive, records, disks, erasing, ledger, activity, waking, announcing);
        this.pruning = new Pruning(ports, exclusive, records, removing);
        this.primaries =
                new Primaries(ports, guests, deliveries, ledger, exclusive, removing, waking, background, announcing);
        Admission admission = new Admission(ports, drivers, requests, random);
        UnremovedSpares unremoved = new UnremovedSpares(ports, new SpareRemoval(ports, drivers, disks));
        Filling filling = new Filling(ports, drivers, guests, ids, unremoved);
        this.spares = new Spares(ports, guests, background, filling, unremoved, () -> usualKind(admission));
        Claiming claiming = new Claiming(ports, drivers, exclusive, disks, guests, booting, spares, random);
        this.creating = new Creating(
                ports, admission, ids, exclusive, disks, booting, erasing, primaries, spares, claiming, announcing);
        this.starting = new Starting(ports, drivers, disks, booting, announcing);
        Draining draining = new Draining(ports.archive(), ports.folders(), guests, ports.clock(), timer);
        this.stopping = new Stopping(ports, booting, draining, guests, ledger, waking, announcing);
        this.pausing = new Pausing(ports, drivers, draining, guests, waking, announcing);
        this.resuming = new Resuming(ports, drivers, guests, waking, announcing);
        Restarting restarting = new Restarting(ports, draining, booting, starting);
        LastSeen seen = new LastSeen(ports.folders());
        this.lifetimes = new Lifetimes(ports, guests, activity, seen, this::end, background, timer);
        Outlets outlets = new Outlets(ports, drivers, guests, background, announcing);
        this.egress = new SandboxEgress(ports, drivers, records, exclusive, this::settle, outlets);
        this.watching = new Watching(
                ports,
                drivers,
                guests,
                ledger,
                exclusive,
                draining,
                stopping,
                primaries,
                lifetimes,
                outlets,
                background);
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
                pausing,
                resuming,
                removing,
                restarting,
                watching,
                waking,
                primaries,
                spares,
                background,
                announcing);
        this.workspaces = new Workspaces(ports, drivers, records, exclusive);
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

    /** Lets it stand still with all its memory, until it is resumed. Clients that are attached wait. */
    public SandboxRow pause(String sandbox) {
        SandboxRow row =
                exclusive.on(sandbox, "pause", PAUSE, this::settle, now -> pausing.pause(now, "paused by you"));
        lifetimes.watch(row);
        return row;
    }

    /** Lets a paused sandbox go on where it was. */
    public SandboxRow resume(String sandbox) {
        SandboxRow row = exclusive.on(sandbox, "resume", PAUSE, this::settle, resuming::resume);
        lifetimes.watch(row);
        return row;
    }

    /** Takes away what a failure left behind: a sandbox in error is stopped then, and can be started. */
    public SandboxRow reset(String sandbox) {
        return exclusive.on(sandbox, "reset", STOP, this::settle, stopping::reset);
    }

    /** Its time is over; see {@link Lifetimes}. */
    private void end(SandboxRow row, Then then, Predicate<SandboxRow> due, String why) {
        SandboxRow ended = exclusive.on(row.id().value(), "end of its time", STOP, this::settle, now -> {
            if (now.generation() != row.generation() || !due.test(now)) {
                return now;
            }
            switch (then) {
                case STOP -> {
                    return stopping.stop(now, GRACE, why);
                }
                case PAUSE -> {
                    return pausing.pause(now, why);
                }
                case REMOVE -> removing.erase(now, false);
            }
            return now;
        });
        if (ended.state() == State.STOPPED) {
            primaries.depart(ended);
        }
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

    /** All disks that a record knows. */
    public List<DiskRow> disks() {
        return ports.store().disks();
    }

    /** Disks whose record has gone. */
    public List<DiskRow> keptDisks() {
        return pruning.keptDisks();
    }

    public Optional<DiskRow> disk(SandboxRow row) {
        return ports.store().disk(row.settings().disk());
    }

    /** Where a disk lies on the host. */
    public Path diskFolder(DiskRow disk) {
        return ports.folders().disk(disk);
    }

    /** The pool that holds the disks, as it is now. */
    public PoolState pool() {
        return ports.pool().state();
    }

    /** What every disk takes that need not be walked, by the disk's name; one pass for all. */
    public Map<String, DiskUsage> diskUsages() {
        return disks.usage();
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
        Running running = guests.running(records.require(sandbox));
        activity.touch(running.row().id());
        return running;
    }

    /** The same for who only looks at it: that does not keep it from being idle. */
    public Running lookAt(String sandbox) {
        return guests.running(records.require(sandbox));
    }

    /** Connects a client to a TCP port of a running sandbox's loopback. */
    public Relay forward(String sandbox, int port) {
        Running running = running(sandbox);
        return new ForwardRelay(
                running.guest().forward(port),
                bytes -> activity.touch(running.row().id()));
    }

    /** What keeps sandboxes from being idle, besides their sessions. */
    public Activity activity() {
        return activity;
    }

    /**
     * Why a sandbox is what it is, in words; empty where there is nothing to say.
     *
     * @param live its sessions, where they were asked for
     */
    public String why(SandboxRow row, List<SessionStatus> live) {
        return row.reason().isEmpty() ? lifetimes.why(row, live).orElse("") : row.reason();
    }

    public Workspaces workspaces() {
        return workspaces;
    }

    /** What no record knows, and its removal. */
    public Pruning pruning() {
        return pruning;
    }

    /** The warm pool. */
    public Spares spares() {
        return spares;
    }

    public Drivers drivers() {
        return drivers;
    }

    public EventBus events() {
        return events;
    }

    /** Their sessions. */
    public SandboxSessions sessions() {
        return sessions;
    }

    public SandboxEgress egress() {
        return egress;
    }

    /** Operations that an earlier process left unfinished, and that this one finished or undid. */
    public long finishedOfOthers() {
        return recovering.finished();
    }

    // ---- the whole

    /** What a create without any wish gets, where that can be started ahead. */
    private static Optional<SpareKind> usualKind(Admission admission) {
        try {
            return Claiming.kind(admission.plan(CreateSandbox.defaults(), ""));
        } catch (CortexException e) {
            // Nothing is ready here yet.
            return Optional.empty();
        }
    }

    /**
     * Begins to make ready what creates would wait for, once the recovery has looked at everything: the warm pool.
     *
     * @param first done before the pool is filled
     */
    public void prepare(Runnable first) {
        background.start("preparations", () -> {
            try {
                recovered.await();
                first.run();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            spares.begin();
        });
    }

    /** Waits until the recovery that began with this object has looked at everything; false when it takes longer. */
    public boolean awaitRecovery(Duration most) throws InterruptedException {
        return recovered.await(most.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Leaves every sandbox as it is: they run on without us. */
    @Override
    public void close() {
        background.close();
        lifetimes.close();
        waking.close();
        timer.shutdownNow();
        guests.close();
        events.close();
    }

    private Optional<SandboxRow> settle(SandboxRow row) {
        Optional<SandboxRow> settled = recovering.settle(row);
        settled.filter(now -> now.state() == State.RUNNING || now.state() == State.PAUSED)
                .ifPresent(watching::watch);
        return settled;
    }
}
