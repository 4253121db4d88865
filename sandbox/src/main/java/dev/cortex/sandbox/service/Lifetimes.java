package dev.cortex.sandbox.service;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.SandboxId;
import dev.cortex.sandbox.State;
import dev.cortex.sandbox.guest.SessionStatus;
import dev.cortex.sandbox.store.SandboxRow;
import dev.cortex.sandbox.terms.Lifetime;
import dev.cortex.sandbox.terms.Lifetime.Then;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Ends sandboxes whose time is over, or with which nothing was done for too long. One timer looks at the clock for all;
 * a sandbox costs an entry in its queue. The time of a life counts from its start or its last resume; that of being idle
 * stands still while the sandbox does.
 */
final class Lifetimes implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("dev.cortex.sandbox");

    /** How late an end may be. */
    private static final Duration TICK = Duration.ofMillis(500);

    /** Activity is written down so often: a daemon that was killed forgets no more of it. */
    private static final Duration KEPT = Duration.ofSeconds(30);

    /** A sandbox that is busy, or cannot be asked, is looked at again after as long. */
    private static final Duration AGAIN = Duration.ofSeconds(10);

    private final Ports ports;
    private final Guests guests;
    private final Activity activity;
    private final LastSeen seen;
    private final Ending ending;
    private final Background background;
    private final ScheduledExecutorService timer;

    /** Guards the two below. */
    private final ReentrantLock lock = new ReentrantLock();

    private final PriorityQueue<Look> looks = new PriorityQueue<>(Comparator.comparing(Look::at));
    private Optional<ScheduledFuture<?>> ticking = Optional.empty();

    /** What was last written down. */
    private final Map<SandboxId, Instant> kept = new ConcurrentHashMap<>();

    private volatile Instant keptAt;

    /** Ends a sandbox. */
    interface Ending {
        /**
         * @param due asked again when nothing else changes it any more
         * @param why in words, for people
         */
        void end(SandboxRow row, Then then, Predicate<SandboxRow> due, String why);
    }

    private record Look(SandboxId sandbox, long generation, Instant at) {}

    /** @param why in words; empty when it is not over */
    private record Over(Optional<String> why, Instant next) {}

    Lifetimes(
            Ports ports,
            Guests guests,
            Activity activity,
            LastSeen seen,
            Ending ending,
            Background background,
            ScheduledExecutorService timer) {
        this.ports = ports;
        this.guests = guests;
        this.activity = activity;
        this.seen = seen;
        this.ending = ending;
        this.background = background;
        this.timer = timer;
        this.keptAt = ports.clock().instant();
    }

    /** From now on its time counts; again at each start, pause and resume. */
    void watch(SandboxRow row) {
        if (limited(row)) {
            if (activity.last(row.id()).isEmpty()) {
                // What was done shortly before a daemon was killed may not have been written down.
                seen.of(row.id())
                        .map(at -> earliest(at.plus(KEPT), ports.clock().instant()))
                        .ifPresent(at -> activity.touch(row.id(), at));
            }
            put(new Look(row.id(), row.generation(), deadline(row, lastActive(row))));
        }
    }

    /** Why a sandbox that runs is still alive, as far as its terms say; empty without any. */
    Optional<String> why(SandboxRow row, List<SessionStatus> sessions) {
        Optional<String> session =
                sessions.stream().filter(Lifetimes::keepsAlive).findFirst().map(s -> "session " + Spoken.session(s));
        if (row.state() != State.RUNNING || session.isPresent()) {
            return row.state() == State.RUNNING ? session : Optional.empty();
        }
        Lifetime lifetime = row.settings().terms().lifetime();
        Instant now = ports.clock().instant();
        return lifetime.idle()
                .map(limit -> "idle for " + Spoken.time(Duration.between(lastActive(row), now)) + ", limit "
                        + Spoken.time(limit))
                .or(() -> lifetime.timeout()
                        .map(limit -> "ends in "
                                + Spoken.time(Duration.between(now, began(row).plus(limit)))));
    }

    private static boolean limited(SandboxRow row) {
        Lifetime lifetime = row.settings().terms().lifetime();
        return lifetime.timeout().isPresent() || lifetime.idle().isPresent();
    }

    private void put(Look look) {
        lock.lock();
        try {
            // Whoever asked a neuron for long may come back when its sandbox was started anew meanwhile.
            if (looks.stream().anyMatch(other -> isOfLaterStart(other, look))) {
                return;
            }
            looks.removeIf(other -> other.sandbox().equals(look.sandbox()));
            looks.add(look);
            if (ticking.isEmpty() && !background.closed()) {
                ticking = Optional.of(timer.scheduleWithFixedDelay(
                        this::tick, TICK.toMillis(), TICK.toMillis(), TimeUnit.MILLISECONDS));
            }
        } finally {
            lock.unlock();
        }
    }

    private static boolean isOfLaterStart(Look look, Look than) {
        return look.sandbox().equals(than.sandbox()) && look.generation() > than.generation();
    }

    private void tick() {
        Instant now = ports.clock().instant();
        for (Look look : due(now)) {
            background.start("lifetime of " + look.sandbox(), () -> look(look));
        }
        if (!now.isBefore(keptAt.plus(KEPT))) {
            keptAt = now;
            background.start("activity", this::keepAll);
        }
    }

    private List<Look> due(Instant now) {
        List<Look> due = new ArrayList<>();
        lock.lock();
        try {
            while (!looks.isEmpty() && !looks.peek().at().isAfter(now)) {
                due.add(looks.remove());
            }
        } finally {
            lock.unlock();
        }
        return due;
    }

    private void keepAll() {
        List<Look> all;
        lock.lock();
        try {
            all = List.copyOf(looks);
        } finally {
            lock.unlock();
        }
        all.forEach(look -> activity.last(look.sandbox()).ifPresent(at -> keep(look.sandbox(), at)));
    }

    private void keep(SandboxId id, Instant at) {
        if (!at.equals(kept.put(id, at))) {
            seen.keep(id, at);
        }
    }

    private void look(Look look) {
        Optional<SandboxRow> found = current(look);
        if (found.isEmpty()) {
            forget(look);
            return;
        }
        SandboxRow row = found.get();
        try {
            Over over = over(row);
            if (over.why().isPresent()) {
                Then then = row.settings().terms().lifetime().then();
                ending.end(
                        row,
                        then,
                        now -> over(now).why().isPresent(),
                        over.why().get());
                // What became of it is looked at again: it may live on, paused.
                current(look).ifPresent(now -> again(look, now));
            } else {
                put(new Look(look.sandbox(), look.generation(), over.next()));
            }
        } catch (RuntimeException e) {
            boolean busy = e instanceof CortexException known && known.code() == ErrorCode.BUSY;
            LOG.log(
                    busy || background.closed() ? System.Logger.Level.DEBUG : System.Logger.Level.WARNING,
                    row.name() + " is not ended yet: " + e.getMessage());
            put(new Look(
                    look.sandbox(), look.generation(), ports.clock().instant().plus(AGAIN)));
        }
    }

    private void again(Look look, SandboxRow row) {
        Instant next = over(row).next();
        Instant soonest = ports.clock().instant().plus(AGAIN);
        if (next.isBefore(Instant.MAX)) {
            put(new Look(look.sandbox(), look.generation(), next.isBefore(soonest) ? soonest : next));
        }
    }

    private Optional<SandboxRow> current(Look look) {
        return ports.store()
                .find(look.sandbox())
                .filter(row -> row.state() == State.RUNNING || row.state() == State.PAUSED)
                .filter(row -> row.generation() == look.generation());
    }

    private void forget(Look look) {
        lock.lock();
        try {
            if (looks.stream().anyMatch(other -> isOfLaterStart(other, look))) {
                return;
            }
            kept.remove(look.sandbox());
            activity.forget(look.sandbox());
        } finally {
            lock.unlock();
        }
    }

    private Over over(SandboxRow row) {
        Lifetime lifetime = row.settings().terms().lifetime();
        Instant now = ports.clock().instant();
        boolean still = row.state() == State.PAUSED;
        if (still && lifetime.then() == Then.PAUSE) {
            return new Over(Optional.empty(), Instant.MAX);
        }
        Optional<Instant> end = lifetime.timeout().map(limit -> began(row).plus(limit));
        if (end.isPresent() && !end.get().isAfter(now)) {
            String limit = Spoken.time(lifetime.timeout().orElseThrow());
            return new Over(
                    Optional.of("lived for " + Spoken.time(Duration.between(began(row), now)) + ", limit " + limit),
                    end.get());
        }
        if (still || lifetime.idle().isEmpty()) {
            return new Over(Optional.empty(), end.orElse(Instant.MAX));
        }
        Duration most = lifetime.idle().get();
        Instant last = lastActive(row);
        if (!last.plus(most).isAfter(now)) {
            // Of its sessions only the neuron knows; it is asked once for each time that it seems to be idle.
            last = latest(last, bySessions(row, now));
        }
        Instant idle = last.plus(most);
        activity.touch(row.id(), last);
        keep(row.id(), last);
        if (!idle.isAfter(now)) {
            return new Over(
                    Optional.of(
                            "idle for " + Spoken.time(Duration.between(last, now)) + ", limit " + Spoken.time(most)),
                    idle);
        }
        return new Over(Optional.empty(), end.filter(idle::isAfter).orElse(idle));
    }

    /** The last moment at which one of its sessions kept it from being idle. What a guest says is at most now. */
    private Instant bySessions(SandboxRow row, Instant now) {
        return guests.of(row).sessions().stream()
                .filter(session -> !session.background())
                .map(session ->
                        session.cause().isEmpty() ? now : session.ended().orElse(session.started()))
                .filter(at -> !at.isAfter(now))
                .max(Comparator.naturalOrder())
                .orElse(Instant.MIN);
    }

    private static boolean keepsAlive(SessionStatus session) {
        return session.cause().isEmpty() && !session.background();
    }

    private Instant deadline(SandboxRow row, Instant active) {
        Lifetime lifetime = row.settings().terms().lifetime();
        return Stream.of(
                        lifetime.timeout().map(limit -> began(row).plus(limit)),
                        lifetime.idle().map(active::plus))
                .flatMap(Optional::stream)
                .min(Comparator.naturalOrder())
                .orElse(Instant.MAX);
    }

    private Instant lastActive(SandboxRow row) {
        return latest(began(row), activity.last(row.id()).orElse(Instant.MIN));
    }

    private static Instant began(SandboxRow row) {
        return row.life().since().or(row::started).orElse(row.created());
    }

    private static Instant earliest(Instant a, Instant b) {
        return a.isBefore(b) ? a : b;
    }

    private static Instant latest(Instant a, Instant b) {
        return a.isAfter(b) ? a : b;
    }

    @Override
    public void close() {
        lock.lock();
        try {
            ticking.ifPresent(tick -> tick.cancel(false));
            looks.clear();
        } finally {
            lock.unlock();
        }
    }
}
