package dev.cortex.protocol.wire;

import java.nio.ByteBuffer;

/** One frame of a data stream (docs/protocol.md). */
public sealed interface Frame {
    /** The most bytes that a Data frame carries behind its tag. */
    int DATA_BYTES = 65_536;

    /** The longest payload; a longer one is refused before anything is allocated. */
    int PAYLOAD_BYTES = 65_600;

    /** The most bytes of an Event's or an Answer's body. */
    int BODY_BYTES = 16_384;

    /** The cursor that asks for what comes from now on. */
    long LIVE_ONLY = -1L;

    /** @param cursor unsigned */
    record Handshake(Kind kind, Mode mode, long cursor, String id) implements Frame {}

    /** @param oldest, newest unsigned cursors; @param stdinAccepted bytes of stdin that the process's pipe has taken */
    record HandshakeAck(boolean alive, long oldest, long newest, long stdinAccepted) implements Frame {}

    /** @param bytes the frame's own while it is handled: valid until the next read of its channel */
    record Data(Tag tag, ByteBuffer bytes) implements Frame {}

    record Winsize(int rows, int columns, int xPixels, int yPixels) implements Frame {}

    record StdinClose() implements Frame {}

    /** @param cause number of {@code ExitCause} in guest.proto, 0 to 8 */
    record Exit(int cause, int code) implements Frame {}

    record Gap(long cursor) implements Frame {}

    record Error(String code, String message) implements Frame {}

    record Eof() implements Frame {}

    /**
     * What the guest tells or asks; what kind and body mean is beyond this codec.
     *
     * @param number unsigned
     * @param kind 0 to 255
     * @param body valid until the next read of its channel
     */
    record Event(long number, int kind, ByteBuffer body) implements Frame {}

    /** What the host says to the Event of that number; parameters as of {@link Event}. */
    record Answer(long number, int kind, ByteBuffer body) implements Frame {}

    enum Kind {
        ATTACH,
        TRANSFER,
        FORWARD,
        WATCH,
        EVENTS,
        EGRESS;

        int wire() {
            return ordinal() + 1;
        }
    }

    enum Mode {
        OBSERVE,
        HOLD,
        TAKE_OVER
    }

    enum Tag {
        STDIN,
        STDOUT,
        STDERR
    }
}
