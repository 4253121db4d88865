package dev.cortex.sandbox.driver;

/**
 * The power to let a sandbox stand still with all its memory, and go on. A driver that has it says so by the capability
 * PAUSE, and observes such a sandbox as {@link Observation#PAUSED}, whoever made it stand still.
 */
public interface Pausing {
    /**
     * Returns when no process of the sandbox runs any more, the neuron included. Idempotent; what was cut off halfway is
     * finished by the same call. On failure they all go on.
     *
     * @throws dev.cortex.protocol.error.CortexException DRIVER_FAILED, UNSUPPORTED where this machine cannot
     */
    void pause(Handle handle);

    /**
     * Lets all of it go on, whether it stands still or not. A process that had stopped by itself before the pause stays
     * stopped.
     *
     * @throws dev.cortex.protocol.error.CortexException DRIVER_FAILED
     */
    void resume(Handle handle);
}
