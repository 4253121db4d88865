package dev.cortex.sandbox.lease;

import java.time.Instant;

/**
 * The right to change one sandbox, for as long as an operation is in flight.
 *
 * @param holder the operation's name, such as {@code stop}
 * @param deadline when the operation ought to be over; said to who waits, never enforced: what it began must be ended
 */
public record Lease(Leases leases, String subject, String holder, Instant deadline) implements AutoCloseable {
    @Override
    public void close() {
        leases.release(this);
    }

    @Override
    public boolean equals(Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(this);
    }
}
