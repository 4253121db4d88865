package dev.cortex.daemon.log;

import java.util.logging.LogManager;

/**
 * Keeps the handlers until the process is gone: the platform's own manager takes them away as soon as the process is
 * told to end, beside our own last steps, of which nothing would be logged. Reads no configuration either.
 */
public final class LastingLogManager extends LogManager {
    /** For the platform, which makes it by its name. */
    public LastingLogManager() {}

    @Override
    public void readConfiguration() {
        // Everything is set by DaemonLog.
    }

    @Override
    public void reset() {
        // Kept: see above.
    }
}
