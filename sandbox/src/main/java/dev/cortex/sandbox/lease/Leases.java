package dev.cortex.sandbox.lease;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** The leases of one process. They die with it: what must survive is an intent. Thread-safe. */
public final class Leases {
    private final Clock clock;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition released = lock.newCondition();
    private final Map<String, Lease> held = new HashMap<>();

    public Leases(Clock clock) {
        this.clock = clock;
    }

    /**
     * Takes the lease of {@code subject}, waiting for its holder at most {@code wait}.
     *
     * @param name of the subject, for people
     * @param holder the operation, as an error should name it
     * @param expected how long the operation takes at most, if all goes well
     * @throws CortexException BUSY with the holder's name; CANCELLED when the thread is interrupted
     */
    public Lease acquire(String subject, String name, String holder, Duration wait, Duration expected) {
        lock.lock();
        try {
            long left = wait.toNanos();
            for (Lease other = held.get(subject); other != null; other = held.get(subject)) {
                if (left <= 0) {
                    throw CortexException.of(
                            ErrorCode.BUSY,
                            name + " is busy: " + other.holder() + " is in flight",
                            "try again when it is over, by " + other.deadline() + " at the latest if all goes well");
                }
                left = released.awaitNanos(left);
            }
            Lease lease = new Lease(this, subject, holder, clock.instant().plus(expected));
            held.put(subject, lease);
            return lease;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw CortexException.of(ErrorCode.CANCELLED, "cancelled while it waited for another operation", "");
        } finally {
            lock.unlock();
        }
    }

    /** The operation that changes {@code subject} now. */
    public Optional<String> holder(String subject) {
        lock.lock();
        try {
            return Optional.ofNullable(held.get(subject)).map(Lease::holder);
        } finally {
            lock.unlock();
        }
    }

    void release(Lease lease) {
        lock.lock();
        try {
            if (held.remove(lease.subject(), lease)) {
                released.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }
}
