package dev.cortex.cli.session;

import dev.cortex.protocol.wire.Frame;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Where a session's output goes. */
public interface Sink {
    /**
     * Takes all of it before it returns.
     *
     * @throws IOException when nobody reads it any more
     */
    void write(Frame.Tag tag, ByteBuffer bytes) throws IOException;
}
