package dev.cortex.protocol.wire;

import java.io.Closeable;
import java.io.IOException;
import java.util.Optional;

/**
 * Frames over one stream. One thread may read while another writes; writers exclude each other. Closing frees both.
 */
public interface FrameChannel extends Closeable {
    /**
     * The next frame; empty at the stream's end between two frames.
     *
     * @throws FrameException when the peer breaks the protocol (too long, unknown, cut off in the middle)
     */
    Optional<Frame> read() throws IOException;

    void write(Frame frame) throws IOException;

    @Override
    void close() throws IOException;
}
