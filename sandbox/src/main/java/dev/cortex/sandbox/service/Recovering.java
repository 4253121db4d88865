package dev.cortex.sandbox.service;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.SandboxId;
import dev.cortex.sandbox.State;
import dev.cortex.sandbox.driver.Handle;
import dev.cortex.sandbox.driver.Observation;
import dev.cortex.sandbox.guest.GuestInfo;
import dev.cortex.sandbox.lease.Lease;
import dev.cortex.sandbox.session.SessionLedger;
import dev.cortex.sandbox.store.Intent;
import dev.cortex.sandbox.store.SandboxRow;
import dev.cortex.sandbox.store.SandboxStore;
import dev.cortex.sandbox.store.SpareRow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Brings records and the world together after a crash: first what was left unfinished, then what ought to be running.
 * Nothing that cannot be told for certain is changed: it is kept and reported.
 */
final class Recovering {
    private static final System.Logger LOG = System.getLogger("dev.cortex.sandbox");
    private static final Duration EXPECTED = Duration.ofMinutes(1);
    private static final Duration ANSWER = Duration.ofSeconds(5);

    /**
     * So many neurons are greeted at once: a thousand at once would keep every client of a daemon that has just started
     * waiting behind them.
     */
    private static final int AT_ONCE = 4;

    /** Neurons that have not answered by then hold nobody up any more. */
    private static final Duration TURN = Duration.ofMillis(250);

    /** A stop that was cut off by a crash has had its grace. */
    private static final Duration NO_GRACE = Duration.ofMillis(200);

    private final Ports ports;
    private final Drivers drivers;
    private final Guests guests;
    private final SessionLedger ledger;
    private final Exclusive exclusive;
    private final Creating creating;
    private final Erasing erasing;
    private final Starting starting;
    private final Stopping stopping;
    private final Pausing pausing;
    private final Resuming resuming;
    private final Removing removing;
    private final Restarting restarting;
    private final Watching watching;
    private final Waking waking;
    private final Primaries primaries;
    private final Spares spares;
    private final Background background;
    private final Announcing announcing;
    private final LongAdder finished = new LongAdder();

    Recovering(
            Ports ports,
            Drivers drivers,
            Guests guests,
            SessionLedger ledger,
            Exclusive exclusive,
            Creating creating,
            Erasing erasing,
            Starting starting,
            Stopping stopping,
            Pausing pausing,
            Resuming resuming,
            Removing removing,
            Restarting restarting,
            Watching watching,
            Waking waking,
            Primaries primaries,
            Spares spares,
            Background background,
            Announcing announcing) {
        this.ports = ports;
        this.drivers = drivers;
        this.guests = guests;
        this.ledger = ledger;
        this.exclusive = exclusive;
        this.creating = creating;
        this.erasing = erasing;
        this.starting = starting;
        this.stopping = stopping;
        this.pausing = pausing;
        this.resuming = resuming;
        this.removing = removing;
        this.restarting = restarting;
        this.watching = watching;
        this.waking = waking;
        this.primaries = primaries;
        this.spares = spares;
        this.background = background;
        this.announcing = announcing;
    }

    /**
     * Begins the recovery of a home that has just been opened and returns at once: whoever comes for a sandbox that is
     * being recovered waits for its lease. The latch is open when everything has been looked at.
     */
    CountDownLatch begin() {
        SandboxStore store = ports.store();
        store.damaged().forEach(line -> LOG.log(System.Logger.Level.WARNING, "a row cannot be read: " + line));
        List<SandboxRow> all = store.list("", Integer.MAX_VALUE);
        Set<SandboxId> begun = store.intents().stream().map(Intent::sandbox).collect(Collectors.toSet());
        Map<String, List<SandboxRow>> runningByDriver = all.stream()
                .filter(Recovering::lives)
                .filter(row -> !begun.contains(row.id()))
                .collect(Collectors.groupingBy(row -> row.settings().driver()));
        all.stream().filter(row -> row.state() == State.PAUSED).forEach(row -> waking.standsStill(row.id()));
        List<SandboxRow> unfinished =
                all.stream().filter(row -> begun.contains(row.id())).toList();
        List<SandboxRow> leftOver = all.stream()
                .filter(row -> row.settings().removeOnExit())
                .filter(row -> row.state() == State.STOPPED || row.state() == State.ERROR)
                .filter(row -> !begun.contains(row.id()))
                .toList();
        Map<String, List<SpareRow>> sparesByDriver = store.spares().all().stream()
                .collect(Collectors.groupingBy(spare -> spare.kind().driver()));
        Set<String> observed = new HashSet<>(runningByDriver.keySet());
        observed.addAll(sparesByDriver.keySet());
        CountDownLatch done = new CountDownLatch(unfinished.size() + observed.size() + leftOver.size());
        for (SandboxRow row : unfinished) {
            // The lease is taken here, before anybody is served, and given back by the thread that recovers.
            Lease lease = exclusive.take(row, "recovery", EXPECTED);
            run("recovery of " + row.name(), done, () -> {
                try (lease) {
                    settle(row).filter(Recovering::lives).ifPresent(watching::watch);
                }
            });
        }
        observed.forEach(driver -> run(
                "recovery of " + driver,
                done,
                () -> reattach(
                        driver,
                        runningByDriver.getOrDefault(driver, List.of()),
                        sparesByDriver.getOrDefault(driver, List.of()))));
        leftOver.forEach(row -> run("departure of " + row.name(), done, () -> primaries.remove(row)));
        return done;
    }

    /** Interrupted operations that were finished or undone. */
    long finished() {
        return finished.sum();
    }

    /**
     * Ends what an operation left unfinished. The lease is held.
     *
     * @return the record as it is then, empty when it is gone
     */
    Optional<SandboxRow> settle(SandboxRow row) {
        Intent intent = ports.store()
                .intent(row.id())
                .orElseThrow(() -> new IllegalStateException(row.name() + " has nothing unfinished"));
        LOG.log(System.Logger.Level.INFO, row.name() + ": finishing an interrupted " + intent.kind());
        switch (intent.kind()) {
            case CREATE -> settleCreate(row);
            case START -> settleStart(row);
            case STOP -> stopping.finish(row, NO_GRACE, "stopped by you");
            case PAUSE -> settlePause(row);
            case RESUME -> settleResume(row);
            case LOSE -> watching.lost(row);
            case RESTART -> restarting.finish(row);
            case REMOVE -> removing.finish(row, false);
            case WIPE -> removing.finish(row, true);
        }
        finished.increment();
        return ports.store().find(row.id());
    }

    private void settleCreate(SandboxRow row) {
        if (isUp(row) && (row.primary().isEmpty() || primaries.exists(row))) {
            adopt(row);
            return;
        }
        List<String> left = erasing.erase(row, creating.isNewDisk(row));
        if (left.isEmpty()) {
            announcing.undone(row);
        } else {
            SandboxRow failed = row.failed(
                    "create was interrupted, and this is left: " + String.join("; ", left),
                    ports.clock().instant());
            ports.store().complete(failed);
            announcing.failed(failed);
        }
    }

    private void settleStart(SandboxRow row) {
        if (isUp(row)) {
            adopt(row);
        } else {
            starting.release(row, CortexException.of(ErrorCode.DRIVER_FAILED, "the daemon ended meanwhile", ""));
        }
    }

    /** It stands still, which it does only once all was kept of it, or it goes on: whoever asked got no answer. */
    private void settlePause(SandboxRow row) {
        switch (certain(row)) {
            case PAUSED -> pausing.finish(row, "paused by you");
            case ABSENT -> watching.lost(row);
            default -> pausing.takeBack(row);
        }
    }

    private void settleResume(SandboxRow row) {
        if (certain(row) == Observation.ABSENT) {
            watching.lost(row);
        } else {
            resuming.finish(row);
        }
    }

    private static boolean lives(SandboxRow row) {
        return row.state() == State.RUNNING || row.state() == State.PAUSED;
    }

    private void adopt(SandboxRow row) {
        SandboxRow running = row.running(ports.clock().instant());
        ports.store().complete(running);
        announcing.running(running);
    }

    /** Whether its neuron has its token and is ready. Where that cannot be told, nothing is changed. */
    private boolean isUp(SandboxRow row) {
        if (row.handle().isEmpty()) {
            return false;
        }
        if (certain(row) == Observation.ABSENT) {
            return false;
        }
        try {
            GuestInfo info = guests.of(row).info(ANSWER);
            return info.initialized() && info.ready();
        } catch (CortexException e) {
            return false;
        }
    }

    /** What it is for certain; where that cannot be told nothing is changed. */
    private Observation certain(SandboxRow row) {
        List<Handle> handles = row.handle().stream().toList();
        Observation seen = observation(row, observe(row.settings().driver(), handles));
        if (seen == Observation.UNKNOWN) {
            announcing.uncertain(row, "the driver cannot tell whether it runs");
            throw CortexException.of(
                    ErrorCode.NOT_READY,
                    row.name() + " was being changed when the daemon ended, and the driver cannot tell what it is now",
                    "cortex doctor; then try again");
        }
        return seen;
    }

    /** One pass over all handles of a driver, then each by itself; spares last. */
    private void reattach(String driver, List<SandboxRow> rows, List<SpareRow> ahead) {
        List<Handle> handles = Stream.concat(
                        rows.stream().flatMap(row -> row.handle().stream()),
                        ahead.stream().flatMap(spare -> spare.handle().stream()))
                .toList();
        Map<Handle, Observation> seen = observe(driver, handles);
        Semaphore turns = new Semaphore(AT_ONCE);
        List<Thread> threads = new ArrayList<>();
        for (SandboxRow row : rows) {
            Observation observation = observation(row, seen);
            await(turns);
            threads.add(Thread.ofVirtual().name("recovery of " + row.name()).start(() -> {
                try {
                    reattach(row, observation);
                } finally {
                    turns.release();
                }
            }));
        }
        threads.forEach(Recovering::join);
        spares.recover(ahead, seen);
    }

    private static Observation observation(SandboxRow row, Map<Handle, Observation> seen) {
        return row.handle()
                .map(handle -> seen.getOrDefault(handle, Observation.UNKNOWN))
                .orElse(Observation.ABSENT);
    }

    private static void await(Semaphore turns) {
        try {
            if (!turns.tryAcquire(TURN.toMillis(), TimeUnit.MILLISECONDS)) {
                // One for this, and others for who comes next.
                turns.release(AT_ONCE - 1);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void reattach(SandboxRow row, Observation seen) {
        try {
            switch (seen) {
                case ABSENT -> lose(row);
                case UNKNOWN -> {
                    announcing.uncertain(row, "the driver cannot tell whether it runs");
                    watching.watch(row);
                }
                case RUNNING, PAUSED -> {
                    greet(row, seen);
                    watching.watch(row);
                    announcing.reattached(row);
                }
            }
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, row.name() + " could not be recovered", e);
        }
    }

    private void lose(SandboxRow row) {
        try (Lease lease = exclusive.take(row, "recovery", EXPECTED)) {
            ports.store()
                    .find(row.id())
                    .filter(now -> now.generation() == row.generation() && now.state() == row.state())
                    .ifPresent(this::lost);
        }
        ports.store().find(row.id()).filter(now -> now.state() == State.RUNNING).ifPresent(watching::watch);
    }

    /** The lease is held. */
    private void lost(SandboxRow row) {
        if (restarting.wanted(row)) {
            restarting.restart(row);
        } else {
            watching.lost(row);
        }
    }

    private void greet(SandboxRow row, Observation seen) {
        if (seen == Observation.PAUSED && row.state() == State.PAUSED) {
            return;
        }
        if (seen == Observation.PAUSED) {
            announcing.uncertain(row, "it stands still, although nobody paused it here");
            return;
        }
        if (row.state() == State.PAUSED) {
            announcing.uncertain(row, "it runs, although it was paused: cortex resume " + row.name());
        }
        try {
            guests.of(row).sessions().forEach(session -> ledger.saw(row.id(), session));
        } catch (CortexException e) {
            announcing.uncertain(row, "it runs, but does not answer: " + e.getMessage());
        }
    }

    private Map<Handle, Observation> observe(String driver, List<Handle> handles) {
        try {
            return drivers.named(driver).observe(handles);
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "the driver " + driver + " cannot observe", e);
            return Map.of();
        }
    }

    private void run(String name, CountDownLatch done, Runnable work) {
        background.start(name, () -> {
            try {
                work.run();
            } catch (RuntimeException e) {
                LOG.log(System.Logger.Level.WARNING, name + " did not succeed; the next operation tries again", e);
            } finally {
                done.countDown();
            }
        });
    }

    static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
