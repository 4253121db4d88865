package dev.cortex.protocol.wire;

import java.nio.ByteBuffer;

/**
 * The guest's answer to a {@link Hello}.
 *
 * @param version the one chosen, 0 when refused
 */
public record HelloAck(int version, Status status) {
    /** Length on the wire. */
    public static final int BYTES = 7;

    /** In the order of their wire numbers. */
    public enum Status {
        OK,
        NO_COMMON_VERSION,
        TOKEN_REFUSED,
        UNKNOWN_PURPOSE
    }

    /** The bytes to send, ready to be read. */
    public ByteBuffer encode() {
        return ByteBuffer.allocate(BYTES)
                .putInt(Hello.MAGIC)
                .putShort((short) version)
                .put((byte) status.ordinal())
                .flip();
    }

    /** @param from at least {@link #BYTES} bytes, which are taken */
    public static HelloAck decode(ByteBuffer from) throws FrameException {
        if (from.getInt() != Hello.MAGIC) {
            throw new FrameException("a hello's answer without the magic number");
        }
        int version = from.getShort() & 0xffff;
        int status = from.get() & 0xff;
        if (status > Status.UNKNOWN_PURPOSE.ordinal()) {
            throw new FrameException("a hello's answer of the unknown status " + status);
        }
        return new HelloAck(version, Status.values()[status]);
    }
}
