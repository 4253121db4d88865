package dev.cortex.sandbox.service;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.driver.Handle;
import dev.cortex.sandbox.driver.Observation;
import dev.cortex.sandbox.guest.Guest;
import dev.cortex.sandbox.service.ReadySpares.Ready;
import dev.cortex.sandbox.spare.SpareSettings;
import dev.cortex.sandbox.spare.SpareTotals;
import dev.cortex.sandbox.store.SpareKind;
import dev.cortex.sandbox.store.SpareRow;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * The warm pool: sandboxes that were started ahead, of the kinds that are asked for. Nobody but a create can get at one,
 * and none is handed out twice: who takes one out of memory has it alone, and the claim in the store is one transaction.
 * Thread-safe.
 */
public final class Spares {
    private static final System.Logger LOG = System.getLogger("dev.cortex.sandbox");
    private static final Duration ANSWER = Duration.ofSeconds(5);

    /** Give it back, and another sandbox finds room. */
    private static final Set<ErrorCode> SHORTAGES =
            Set.of(ErrorCode.CAPACITY, ErrorCode.DISK_FULL, ErrorCode.OUT_OF_MEMORY);

    private final Ports ports;
    private final Guests guests;
    private final Background background;
    private final UnremovedSpares unremoved;
    private final SpareCounts counts = new SpareCounts();
    private final ReadySpares ready = new ReadySpares();
    private final Creates creates = new Creates();
    private final Replenishing replenishing;

    /** Held by the one that empties the pool, and how often that was done. */
    private final ReentrantLock makingRoom = new ReentrantLock();

    private final AtomicInteger emptied = new AtomicInteger();

    Spares(
            Ports ports,
            Guests guests,
            Background background,
            Filling filling,
            UnremovedSpares unremoved,
            Supplier<Optional<SpareKind>> usual) {
        this.ports = ports;
        this.guests = guests;
        this.background = background;
        this.unremoved = unremoved;
        this.replenishing =
                new Replenishing(ports, usual, ready, filling, unremoved, counts, this::keep, this::discard);
    }

    /** Whether there are to be any. */
    public boolean on() {
        return settings().on();
    }

    public SpareSettings settings() {
        return ports.spares();
    }

    /** All that there are, those that are being made or removed included. */
    public List<SpareRow> rows() {
        return ports.store().spares().all();
    }

    /** The pool in numbers. */
    public SpareTotals totals() {
        return counts.with(ready.all().stream()
                .collect(Collectors.groupingBy(spare -> spare.row().kind().program(), Collectors.counting())));
    }

    /** Begins to keep the pool filled, in the background. */
    void begin() {
        if (on()) {
            background.start("warm pool", () -> replenishing.keep(background, creates));
        }
    }

    /** Brings the pool to its size and returns when it has it, or when it cannot be had now. */
    public void replenish() {
        replenishing.now();
    }

    /** Removes every spare, and makes no more. What cannot be removed is removed by the next owner of the home. */
    public void drain() {
        replenishing.end();
        empty();
    }

    /** Whether there was any. */
    private boolean empty() {
        List<Thread> threads = ready.all().stream()
                .filter(ready::take)
                .map(spare -> Thread.ofVirtual().name("drain").start(() -> discard(spare)))
                .toList();
        for (Thread thread : threads) {
            Recovering.join(thread);
        }
        return !threads.isEmpty();
    }

    /** Removes those of an image that is about to go. */
    public void leave(String digest) {
        replenishing.without(digest);
    }

    // ---- for creates

    /** While it is open no spare is begun. */
    Creates.Turn turn() {
        return creates.turn();
    }

    /** One of that kind, which the caller has alone; remembers that it was asked for. */
    Optional<Ready> take(SpareKind kind) {
        if (!on()) {
            return Optional.empty();
        }
        replenishing.asked(kind);
        Optional<Ready> taken = ready.take(kind);
        if (taken.isEmpty()) {
            counts.missed();
        }
        return taken;
    }

    /** One that was taken is a sandbox with a name. */
    void handedOut() {
        counts.handedOut();
    }

    /** One that was taken and is not needed. */
    void giveBack(Ready spare) {
        keep(spare);
    }

    /**
     * Does something, and once more where there was no room for it and the pool could be emptied. Who fails while another
     * empties it waits for that, and then tries again.
     *
     * @param nothingLeft whether what failed can be repeated; where it cannot, its failure is the answer
     */
    <T> T orMakeRoom(Supplier<T> work, BooleanSupplier nothingLeft) {
        int before = emptied.get();
        try {
            return work.get();
        } catch (CortexException e) {
            if (!SHORTAGES.contains(e.code()) || !nothingLeft.getAsBoolean() || !madeRoom(before)) {
                throw e;
            }
        }
        return work.get();
    }

    private boolean madeRoom(int before) {
        makingRoom.lock();
        try {
            if (emptied.get() != before) {
                return true;
            }
            if (ready.all().isEmpty()) {
                return false;
            }
            replenishing.pause();
            boolean any = empty();
            if (any) {
                emptied.incrementAndGet();
            }
            return any;
        } finally {
            makingRoom.unlock();
        }
    }

    // ---- recovery

    /** What was left by the last owner of the home is taken over where it is as if made now, else removed. */
    void recover(List<SpareRow> rows, Map<Handle, Observation> seen) {
        for (SpareRow row : rows) {
            Optional<Ready> adopted = row.handle()
                    .filter(handle -> seen.getOrDefault(handle, Observation.UNKNOWN) == Observation.RUNNING)
                    .filter(handle -> on() && row.build().equals(settings().build()))
                    .flatMap(handle -> greet(row, handle));
            adopted.ifPresentOrElse(this::keep, () -> unremoved.remove(row));
        }
    }

    private Optional<Ready> greet(SpareRow row, Handle handle) {
        Guest guest = guests.ahead(handle);
        try {
            if (!guest.info(ANSWER).initialized()) {
                return Optional.of(new Ready(row, guest));
            }
        } catch (CortexException e) {
            LOG.log(System.Logger.Level.DEBUG, row.id() + " does not answer: " + e.getMessage());
        }
        guest.close();
        return Optional.empty();
    }

    // ---- one spare

    /** It can be handed out, for as long as it lives. */
    private void keep(Ready spare) {
        ready.put(spare);
        background.start("watch of " + spare.row().id(), () -> {
            try {
                spare.guest().awaitLost();
            } catch (CortexException e) {
                LOG.log(System.Logger.Level.DEBUG, spare.row().id() + ": " + e.getMessage());
            }
            if (!background.closed() && ready.take(spare)) {
                LOG.log(System.Logger.Level.INFO, "the spare " + spare.row().id() + " is gone");
                discard(spare);
                replenishing.stir();
            }
        });
    }

    /** The caller has it alone. */
    private void discard(Ready spare) {
        spare.guest().close();
        unremoved.remove(spare.row());
    }
}
