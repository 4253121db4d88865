package dev.cortex.sandbox.guest;

import dev.cortex.protocol.error.CortexException;
import java.util.Optional;

/**
 * The events of one guest. One thread reads; any may answer. A guest that does not take its answers lets whoever
 * answers wait. Closing frees all of them.
 */
public interface GuestEvents extends AutoCloseable {
    /**
     * Waits for the next; empty at the end of the stream.
     *
     * @throws CortexException GUEST_LOST when the stream breaks, or the guest says what no honest one says
     */
    Optional<GuestEvent> next();

    /**
     * Says no to what was asked, with code, message and remedy. An event that nobody waits for any more is no fault.
     *
     * @throws CortexException GUEST_LOST
     */
    void refuse(long number, CortexException why);

    @Override
    void close();
}
