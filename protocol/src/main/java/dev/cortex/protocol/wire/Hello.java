package dev.cortex.protocol.wire;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The host's first message on every stream.
 *
 * @param lowest version that the host speaks, 1 to 65,535
 * @param highest not below {@code lowest}
 * @param token 32 bytes, zeros before Initialize
 */
public record Hello(int lowest, int highest, Purpose purpose, byte[] token) {
    /** The versions that this build speaks. */
    public static final int LOWEST_VERSION = 1;

    public static final int HIGHEST_VERSION = 1;

    /** Length on the wire. */
    public static final int BYTES = 41;

    public static final int TOKEN_BYTES = 32;

    /** "CRTX". */
    static final int MAGIC = 0x43525458;

    /** What the stream is for; the wire numbers begin at 1. */
    public enum Purpose {
        CONTROL,
        DATA
    }

    public Hello {
        if (lowest < 0 || lowest > highest || highest > 0xffff) {
            throw new IllegalArgumentException("versions " + lowest + " to " + highest);
        }
        if (token.length != TOKEN_BYTES) {
            throw new IllegalArgumentException("a token of " + token.length + " bytes");
        }
        token = token.clone();
    }

    /** A Hello that offers every version of this build. */
    public static Hello of(Purpose purpose, byte[] token) {
        return new Hello(LOWEST_VERSION, HIGHEST_VERSION, purpose, token);
    }

    @Override
    public byte[] token() {
        return token.clone();
    }

    /** The bytes to send, ready to be read. */
    public ByteBuffer encode() {
        return ByteBuffer.allocate(BYTES)
                .putInt(MAGIC)
                .putShort((short) lowest)
                .putShort((short) highest)
                .put((byte) (purpose.ordinal() + 1))
                .put(token)
                .flip();
    }

    /** @param from at least {@link #BYTES} bytes, which are taken */
    public static Hello decode(ByteBuffer from) throws FrameException {
        if (from.getInt() != MAGIC) {
            throw new FrameException("a hello without the magic number");
        }
        int lowest = from.getShort() & 0xffff;
        int highest = from.getShort() & 0xffff;
        int purpose = from.get() & 0xff;
        byte[] token = new byte[TOKEN_BYTES];
        from.get(token);
        if (lowest > highest) {
            throw new FrameException("a hello of versions " + lowest + " to " + highest);
        }
        return switch (purpose) {
            case 1 -> new Hello(lowest, highest, Purpose.CONTROL, token);
            case 2 -> new Hello(lowest, highest, Purpose.DATA, token);
            default -> throw new FrameException("a hello of the unknown purpose " + purpose);
        };
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Hello hello
                && lowest == hello.lowest
                && highest == hello.highest
                && purpose == hello.purpose
                && Arrays.equals(token, hello.token);
    }

    @Override
    public int hashCode() {
        return 31 * (31 * lowest + highest) + purpose.hashCode();
    }

    @Override
    public String toString() {
        return "Hello[" + lowest + " to " + highest + ", " + purpose + "]";
    }
}
