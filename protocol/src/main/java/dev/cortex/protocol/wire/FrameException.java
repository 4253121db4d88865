package dev.cortex.protocol.wire;

import java.io.IOException;

/** A peer's bytes are no frame of this protocol. The stream cannot go on. */
public final class FrameException extends IOException {
    private static final long serialVersionUID = 1L;

    public FrameException(String message) {
        super(message);
    }
}
