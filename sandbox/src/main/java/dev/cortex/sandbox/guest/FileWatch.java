package dev.cortex.sandbox.guest;

import dev.cortex.protocol.wire.Change;
import java.util.List;
import java.util.Optional;

/** Changes of a file or folder in a sandbox, from when it was made on. For one thread, but for {@link #close}. */
public interface FileWatch extends AutoCloseable {
    /**
     * Waits for what comes next, in the order in which it happened. A reader that falls behind is told so by a rescan.
     *
     * @return empty once what was watched has gone
     * @throws dev.cortex.protocol.error.CortexException GUEST_LOST; CAPACITY when it has grown too large to be watched
     */
    Optional<List<Change>> next();

    /** Frees a {@link #next} that waits. */
    @Override
    void close();
}
