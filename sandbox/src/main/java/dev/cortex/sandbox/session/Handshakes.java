package dev.cortex.sandbox.session;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.protocol.wire.Frame;
import dev.cortex.protocol.wire.FrameChannel;
import dev.cortex.protocol.wire.FrameException;
import java.io.IOException;
import java.util.Optional;

/** The first frame of a client, and errors told in frames. */
final class Handshakes {
    /** The wire's limit for an Error's message is 4,096 bytes; four bytes a character at most. */
    private static final int MESSAGE_CHARACTERS = 1_000;

    private Handshakes() {}

    /** The client's Handshake; empty when it left, or was told what is wrong with it. */
    static Optional<Frame.Handshake> read(FrameChannel client) throws IOException {
        try {
            Optional<Frame> first = client.read();
            if (first.isEmpty()) {
                return Optional.empty();
            }
            if (first.get() instanceof Frame.Handshake handshake && handshake.kind() == Frame.Kind.ATTACH) {
                return Optional.of(handshake);
            }
            tell(client, ErrorCode.INVALID_ARGUMENT, "the first frame must be a Handshake of kind attach");
        } catch (FrameException e) {
            tell(client, ErrorCode.INVALID_ARGUMENT, String.valueOf(e.getMessage()));
        }
        return Optional.empty();
    }

    static void tell(FrameChannel client, CortexException error) throws IOException {
        tell(client, error.code(), error.getMessage());
    }

    static void tell(FrameChannel client, ErrorCode code, String message) throws IOException {
        String fitting = message.length() > MESSAGE_CHARACTERS ? message.substring(0, MESSAGE_CHARACTERS) : message;
        client.write(new Frame.Error(code.name(), fitting));
    }
}
