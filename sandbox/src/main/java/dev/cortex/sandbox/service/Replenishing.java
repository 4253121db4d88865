package dev.cortex.sandbox.service;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.service.ReadySpares.Ready;
import dev.cortex.sandbox.spare.Demand;
import dev.cortex.sandbox.store.SpareKind;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Holds the number of spares at what it ought to be: one step at a time, and none while a create is in flight. */
final class Replenishing {
    private static final System.Logger LOG = System.getLogger("dev.cortex.sandbox");

    /** Use cools down by itself, and nobody says so. */
    private static final Duration LOOK_AGAIN = Duration.ofSeconds(5);

    /** What a create without any wish gets changes with what is installed on the machine. */
    private static final Duration USUAL_HOLDS = Duration.ofMinutes(5);

    private final Ports ports;
    private final Supplier<Optional<SpareKind>> usual;
    private final ReadySpares ready;
    private final Filling filling;
    private final UnremovedSpares unremoved;
    private final SpareCounts counts;
    private final Consumer<Ready> keep;
    private final Consumer<Ready> discard;
    private final Demand demand;
    private final Semaphore stirred = new Semaphore(0);

    /** Held for a step. */
    private final ReentrantLock stepping = new ReentrantLock();

    private final Map<SpareKind, Rest> resting = new HashMap<>();
    private Optional<SpareKind> usualKind = Optional.empty();
    private Instant usualUntil = Instant.MIN;
    private volatile Rest pause = Rest.NONE;
    private volatile boolean ended;

    /**
     * @param usual the kind of a create without any wish, where such a one can be started ahead
     * @param keep takes a spare that is ready
     * @param discard removes one that nobody else can take any more
     */
    Replenishing(
            Ports ports,
            Supplier<Optional<SpareKind>> usual,
            ReadySpares ready,
            Filling filling,
            UnremovedSpares unremoved,
            SpareCounts counts,
            Consumer<Ready> keep,
            Consumer<Ready> discard) {
        this.ports = ports;
        this.usual = usual;
        this.ready = ready;
        this.filling = filling;
        this.unremoved = unremoved;
        this.counts = counts;
        this.keep = keep;
        this.discard = discard;
        this.demand = new Demand(ports.spares());
    }

    void asked(SpareKind kind) {
        synchronized (demand) {
            demand.asked(kind, ports.clock().instant());
        }
        stir();
    }

    void stir() {
        stirred.release();
    }

    /** Somebody needs the room: nothing is made for a while. Only one thread may say so at a time. */
    void pause() {
        Instant now = ports.clock().instant();
        pause = (pause.isLongAgo(now) ? Rest.NONE : pause).next(now);
    }

    /** Works until the background is closed. */
    void keep(Background background, Creates creates) {
        while (!background.closed() && !ended) {
            Duration calm = creates.untilCalm();
            if (calm.isPositive()) {
                background.sleep(calm);
            } else if (!stepped(background)) {
                await(LOOK_AGAIN);
            }
        }
    }

    /** Whatever went wrong, the next look may find it gone; without this thread the pool would stay empty unseen. */
    private boolean stepped(Background background) {
        try {
            return step();
        } catch (RuntimeException e) {
            if (!background.closed()) {
                LOG.log(System.Logger.Level.WARNING, "the warm pool could not be looked after", e);
            }
            return false;
        }
    }

    void now() {
        boolean more = ports.spares().on();
        while (more) {
            more = step();
        }
    }

    /** No step is done after this has returned. */
    void end() {
        ended = true;
        stepping.lock();
        stepping.unlock();
    }

    /** Forgets an image, and removes what there is of it. */
    void without(String digest) {
        stepping.lock();
        try {
            synchronized (demand) {
                demand.forgetImage(digest);
            }
            for (Ready spare : ready.all()) {
                if (spare.row().kind().digest().equals(digest) && ready.take(spare)) {
                    discard.accept(spare);
                }
            }
        } finally {
            stepping.unlock();
        }
    }

    /** Removes one that is too many, or makes one that is missing; false when there is nothing to do. */
    private boolean step() {
        stepping.lock();
        try {
            if (ended) {
                return false;
            }
            unremoved.again();
            Map<SpareKind, Integer> targets = targets();
            Optional<Ready> surplus = surplus(targets);
            if (surplus.isPresent()) {
                if (ready.take(surplus.get())) {
                    discard.accept(surplus.get());
                }
                return true;
            }
            if (unremoved.any()) {
                // Or what is left of them would become more with each fill.
                return false;
            }
            Optional<SpareKind> missing = targets.entrySet().stream()
                    .filter(target -> ready.count(target.getKey()) < target.getValue())
                    .map(Map.Entry::getKey)
                    .filter(kind -> !rests(kind))
                    .findFirst();
            return missing.isPresent() && fill(missing.get());
        } finally {
            stepping.unlock();
        }
    }

    private boolean fill(SpareKind kind) {
        try {
            keep.accept(filling.fill(kind));
            counts.filled();
            resting.remove(kind);
            return true;
        } catch (CortexException e) {
            if (e.code() == ErrorCode.NOT_FOUND) {
                // Its image has gone, or is another by now.
                usualUntil = Instant.MIN;
                synchronized (demand) {
                    demand.forget(kind);
                }
            }
            resting.put(
                    kind,
                    resting.getOrDefault(kind, Rest.NONE).next(ports.clock().instant()));
            counts.failed();
            LOG.log(System.Logger.Level.WARNING, "no spare was made of " + kind.words() + ": " + e.getMessage());
            return false;
        }
    }

    private Optional<Ready> surplus(Map<SpareKind, Integer> targets) {
        Map<SpareKind, Integer> seen = new HashMap<>();
        return ready.all().stream()
                .filter(spare -> seen.merge(spare.row().kind(), 1, Integer::sum)
                        > targets.getOrDefault(spare.row().kind(), 0))
                .findFirst();
    }

    /** Nothing ought to be there on a machine without room. */
    private Map<SpareKind, Integer> targets() {
        Instant now = ports.clock().instant();
        if (pause.holds(now) || ports.memory().high() || full()) {
            return Map.of();
        }
        List<SpareKind> always = usual(now).stream().toList();
        synchronized (demand) {
            return demand.targets(always, now);
        }
    }

    private Optional<SpareKind> usual(Instant now) {
        if (!now.isBefore(usualUntil)) {
            usualKind = usual.get();
            usualUntil = now.plus(USUAL_HOLDS);
        }
        return usualKind;
    }

    private boolean full() {
        try {
            ports.pool().require();
            return false;
        } catch (CortexException e) {
            return true;
        }
    }

    private boolean rests(SpareKind kind) {
        return resting.getOrDefault(kind, Rest.NONE).holds(ports.clock().instant());
    }

    private void await(Duration most) {
        try {
            if (stirred.tryAcquire(most.toMillis(), TimeUnit.MILLISECONDS)) {
                stirred.drainPermits();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
