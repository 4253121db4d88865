package dev.cortex.sandbox.guest;

import dev.cortex.protocol.error.CortexException;

/** What a guest asks of its host, and how it is granted. Thread-safe. */
public interface GuestRequests {
    /**
     * Opens what the guest tells and asks. A guest has one such stream: opening another ends the one before.
     *
     * @throws CortexException UNSUPPORTED when the sandbox was not given a proxy
     */
    GuestEvents events();

    /**
     * Opens the stream of the connection that the guest asked for by the event of that number.
     *
     * @throws CortexException NOT_FOUND when nobody waits for it any more
     */
    GuestTunnel tunnel(long number);
}
