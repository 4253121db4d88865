package dev.cortex.sandbox.session;

import dev.cortex.protocol.wire.FrameChannel;
import java.io.IOException;

/** One client's attachment to a session. */
public interface Relay {
    /** Relays on the caller's thread until the session or either side ends. Does not close the client's channel. */
    void run(FrameChannel client) throws IOException;
}
