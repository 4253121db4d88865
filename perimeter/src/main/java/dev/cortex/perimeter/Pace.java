package dev.cortex.perimeter;

import java.time.Duration;

/** Lets so many things happen in a second, and more at once after a rest. For one thread. */
final class Pace {
    private final long each;
    private final long rest;
    private long due;

    /** @param burst how many may follow each other at once */
    Pace(int perSecond, int burst) {
        this.each = Duration.ofSeconds(1).toNanos() / perSecond;
        this.rest = each * burst;
        this.due = System.nanoTime() - rest;
    }

    /** How long to wait before the next; zero mostly. */
    Duration next() {
        long now = System.nanoTime();
        due = Math.max(due, now - rest) + each;
        return Duration.ofNanos(Math.max(0, due - now));
    }

    /** Takes the next if it may happen now. */
    boolean tryNext() {
        long now = System.nanoTime();
        if (Math.max(due, now - rest) + each > now) {
            return false;
        }
        next();
        return true;
    }
}
