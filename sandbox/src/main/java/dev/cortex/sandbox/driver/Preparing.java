package dev.cortex.sandbox.driver;

import java.nio.file.Path;

/**
 * A driver that can start a sandbox before it is known what it will be called. What runs in such a one is a neuron that
 * waits for its Initialize, and nothing else.
 */
public interface Preparing {
    /** Whether it can be done with that runtime, here and now. */
    boolean prepares(String runtime);

    /**
     * Gives a sandbox that was started without a host name its own. Afterwards it is as if it had been started with it.
     *
     * @param folder the sandbox's own, as in its start
     * @throws dev.cortex.protocol.error.CortexException GUEST_LOST when its first process is gone
     */
    void name(Handle handle, Path folder, String hostname);
}
