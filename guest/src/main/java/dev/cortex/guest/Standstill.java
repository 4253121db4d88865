package dev.cortex.guest;

import java.util.concurrent.locks.ReentrantLock;

/** The time for which a guest stands still does not count for any deadline. Thread-safe. */
final class Standstill {
    private final ReentrantLock lock = new ReentrantLock();
    private boolean still;
    private long since;
    private long passed;

    void begin() {
        lock.lock();
        try {
            if (!still) {
                still = true;
                since = System.nanoTime();
            }
        } finally {
            lock.unlock();
        }
    }

    void end() {
        lock.lock();
        try {
            if (still) {
                still = false;
                passed += System.nanoTime() - since;
            }
        } finally {
            lock.unlock();
        }
    }

    /** A deadline from now on. */
    Deadline in(long nanos) {
        return new Deadline(this, System.nanoTime() + nanos, nanos());
    }

    /** How long it has stood still so far. */
    private long nanos() {
        lock.lock();
        try {
            return passed + (still ? System.nanoTime() - since : 0);
        } finally {
            lock.unlock();
        }
    }

    /** @param before how long it had stood still when the deadline was set */
    record Deadline(Standstill of, long end, long before) {
        /** Nanoseconds that are left; what is left while it stands still does not shrink. */
        long left() {
            return Math.max(0, end + (of.nanos() - before) - System.nanoTime());
        }
    }
}
