package dev.cortex.protocol.wire;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/**
 * Bytes of frames (docs/protocol.md). A header is checked before anything of its payload is waited for, so that no
 * length of a peer's decides how much is allocated.
 *
 * <p>Stateless. On the command line's hot path, therefore without reflection, streams, regular expressions and the
 * bootstrap methods of pattern switches.
 */
public final class FrameCodec {
    /** Length and type. */
    public static final int HEADER_BYTES = 5;

    /** The longest frame but Data: an Error with its longest code and message. */
    static final int SMALL_BYTES = HEADER_BYTES + 2 + Limit.CODE + Limit.MESSAGE;

    private FrameCodec() {}

    /** Numbers of the frame types. */
    static final class Type {
        static final int HANDSHAKE = 1;
        static final int HANDSHAKE_ACK = 2;
        static final int DATA = 3;
        static final int WINSIZE = 4;
        static final int STDIN_CLOSE = 5;
        static final int EXIT = 6;
        static final int GAP = 7;
        static final int ERROR = 8;
        static final int EOF = 9;
        static final int EVENT = 10;
        static final int ANSWER = 11;

        private Type() {}
    }

    /** Limits of the fields, in bytes. */
    private static final class Limit {
        static final int HANDSHAKE_FIXED = 12;
        static final int ID = 128;
        static final int CODE = 64;
        static final int MESSAGE = 4_096;
        static final int CAUSE = 8;
        static final int BODY_FIXED = 9;
    }

    /**
     * Holds a header against what its type allows.
     *
     * @param length as an unsigned 32-bit number
     */
    static void check(long length, int type) throws FrameException {
        if (length > Frame.PAYLOAD_BYTES) {
            throw new FrameException("a frame of " + length + " bytes");
        }
        int least;
        int most;
        switch (type) {
            case Type.HANDSHAKE -> {
                least = Limit.HANDSHAKE_FIXED;
                most = Limit.HANDSHAKE_FIXED + Limit.ID;
            }
            case Type.HANDSHAKE_ACK -> least = most = 25;
            case Type.DATA -> {
                least = 1;
                most = 1 + Frame.DATA_BYTES;
            }
            case Type.WINSIZE, Type.GAP -> least = most = 8;
            case Type.STDIN_CLOSE, Type.EOF -> least = most = 0;
            case Type.EXIT -> least = most = 5;
            case Type.ERROR -> {
                least = 2;
                most = 2 + Limit.CODE + Limit.MESSAGE;
            }
            case Type.EVENT, Type.ANSWER -> {
                least = Limit.BODY_FIXED;
                most = Limit.BODY_FIXED + Frame.BODY_BYTES;
            }
            default -> throw new FrameException("a frame of the unknown type " + type);
        }
        if (length < least || length > most) {
            throw new FrameException("a frame of type " + type + " with " + length + " bytes");
        }
    }

    /**
     * Decodes a payload whose header was checked. A Data frame's bytes, and a body, are views of {@code payload}.
     *
     * @param payload exactly the payload, from its position to its limit
     */
    static Frame decode(int type, ByteBuffer payload) throws FrameException {
        return switch (type) {
            case Type.HANDSHAKE -> handshake(payload);
            case Type.HANDSHAKE_ACK -> handshakeAck(payload);
            case Type.DATA -> new Frame.Data(tag(payload.get()), payload.slice());
            case Type.WINSIZE -> new Frame.Winsize(u16(payload), u16(payload), u16(payload), u16(payload));
            case Type.STDIN_CLOSE -> new Frame.StdinClose();
            case Type.EXIT -> exit(payload);
            case Type.GAP -> new Frame.Gap(payload.getLong());
            case Type.ERROR -> error(payload);
            case Type.EOF -> new Frame.Eof();
            case Type.EVENT -> new Frame.Event(payload.getLong(), payload.get() & 0xff, payload.slice());
            case Type.ANSWER -> new Frame.Answer(payload.getLong(), payload.get() & 0xff, payload.slice());
            default -> throw new FrameException("a frame of the unknown type " + type);
        };
    }

    static Frame.Tag tag(byte number) throws FrameException {
        return switch (number) {
            case 0 -> Frame.Tag.STDIN;
            case 1 -> Frame.Tag.STDOUT;
            case 2 -> Frame.Tag.STDERR;
            default -> throw new FrameException("data of the unknown tag " + (number & 0xff));
        };
    }

    /** Puts what stands before the bytes of a Data frame. */
    static void putDataHeader(ByteBuffer to, Frame.Tag tag, int bytes) {
        if (bytes > Frame.DATA_BYTES) {
            throw new IllegalArgumentException("a Data frame of " + bytes + " bytes");
        }
        putHeader(to, Type.DATA, bytes + 1);
        to.put((byte) tag.ordinal());
    }

    /** Puts what stands before the body of an Event or an Answer. */
    static void putBodyHeader(ByteBuffer to, int type, long number, int kind, int body) {
        if (body > Frame.BODY_BYTES) {
            throw new IllegalArgumentException("a body of " + body + " bytes");
        }
        Objects.checkIndex(kind, 1 << 8);
        putHeader(to, type, Limit.BODY_FIXED + body);
        to.putLong(number).put((byte) kind);
    }

    /**
     * Puts a whole frame other than those with bytes behind them (Data, Event, Answer); texts of an Error are cut to what the protocol allows.
     *
     * @throws IllegalArgumentException for a field that no peer would take
     */
    static void put(ByteBuffer to, Frame frame) {
        if (frame instanceof Frame.Handshake handshake) {
            putHandshake(to, handshake);
        } else if (frame instanceof Frame.HandshakeAck ack) {
            putHeader(to, Type.HANDSHAKE_ACK, 25);
            to.put((byte) (ack.alive() ? 0 : 1));
            to.putLong(ack.oldest()).putLong(ack.newest()).putLong(ack.stdinAccepted());
        } else if (frame instanceof Frame.Winsize size) {
            putHeader(to, Type.WINSIZE, 8);
            putU16(to, size.rows());
            putU16(to, size.columns());
            putU16(to, size.xPixels());
            putU16(to, size.yPixels());
        } else if (frame instanceof Frame.StdinClose) {
            putHeader(to, Type.STDIN_CLOSE, 0);
        } else if (frame instanceof Frame.Exit exit) {
            Objects.checkIndex(exit.cause(), Limit.CAUSE + 1);
            putHeader(to, Type.EXIT, 5);
            to.put((byte) exit.cause()).putInt(exit.code());
        } else if (frame instanceof Frame.Gap gap) {
            putHeader(to, Type.GAP, 8);
            to.putLong(gap.cursor());
        } else if (frame instanceof Frame.Error error) {
            putError(to, error);
        } else {
            putHeader(to, Type.EOF, 0);
        }
    }

    private static void putHeader(ByteBuffer to, int type, int length) {
        to.putInt(length).put((byte) type);
    }

    private static void putU16(ByteBuffer to, int value) {
        Objects.checkIndex(value, 1 << 16);
        to.putShort((short) value);
    }

    private static void putHandshake(ByteBuffer to, Frame.Handshake handshake) {
        byte[] id = handshake.id().getBytes(StandardCharsets.UTF_8);
        if (id.length > Limit.ID) {
            throw new IllegalArgumentException("an id of " + id.length + " bytes");
        }
        putHeader(to, Type.HANDSHAKE, Limit.HANDSHAKE_FIXED + id.length);
        to.put((byte) handshake.kind().wire()).put((byte) handshake.mode().ordinal());
        to.putLong(handshake.cursor()).putShort((short) id.length).put(id);
    }

    private static void putError(ByteBuffer to, Frame.Error error) {
        byte[] code = error.code().getBytes(StandardCharsets.US_ASCII);
        byte[] message = error.message().getBytes(StandardCharsets.UTF_8);
        int codeLength = Math.min(code.length, Limit.CODE);
        int messageLength = Math.min(message.length, Limit.MESSAGE);
        // Never cut inside a character: what begins with the bits 10 continues one.
        while (messageLength < message.length && (message[messageLength] & 0xc0) == 0x80) {
            messageLength--;
        }
        putHeader(to, Type.ERROR, 2 + codeLength + messageLength);
        to.putShort((short) codeLength).put(code, 0, codeLength).put(message, 0, messageLength);
    }

    private static int u16(ByteBuffer from) {
        return from.getShort() & 0xffff;
    }

    private static Frame handshake(ByteBuffer payload) throws FrameException {
        int kind = payload.get() & 0xff;
        int mode = payload.get() & 0xff;
        long cursor = payload.getLong();
        int length = u16(payload);
        if (length != payload.remaining()) {
            throw new FrameException("a handshake with an id of " + length + " bytes in " + payload.remaining());
        }
        if (kind < 1 || kind > Frame.Kind.EGRESS.wire()) {
            throw new FrameException("a handshake of the unknown kind " + kind);
        }
        if (mode > Frame.Mode.TAKE_OVER.ordinal()) {
            throw new FrameException("a handshake of the unknown mode " + mode);
        }
        String id = text(payload, StandardCharsets.UTF_8, "a handshake's id");
        return new Frame.Handshake(Frame.Kind.values()[kind - 1], Frame.Mode.values()[mode], cursor, id);
    }

    private static Frame handshakeAck(ByteBuffer payload) throws FrameException {
        int state = payload.get() & 0xff;
        if (state > 1) {
            throw new FrameException("a handshake's answer of the unknown state " + state);
        }
        return new Frame.HandshakeAck(state == 0, payload.getLong(), payload.getLong(), payload.getLong());
    }

    private static Frame exit(ByteBuffer payload) throws FrameException {
        int cause = payload.get() & 0xff;
        if (cause > Limit.CAUSE) {
            throw new FrameException("an exit of the unknown cause " + cause);
        }
        return new Frame.Exit(cause, payload.getInt());
    }

    private static Frame error(ByteBuffer payload) throws FrameException {
        int length = u16(payload);
        if (length > Limit.CODE || length > payload.remaining()) {
            throw new FrameException("an error with a code of " + length + " bytes");
        }
        if (payload.remaining() - length > Limit.MESSAGE) {
            throw new FrameException("an error with a message of " + (payload.remaining() - length) + " bytes");
        }
        ByteBuffer code = payload.slice(payload.position(), length);
        payload.position(payload.position() + length);
        return new Frame.Error(
                text(code, StandardCharsets.US_ASCII, "an error's code"),
                text(payload, StandardCharsets.UTF_8, "an error's message"));
    }

    private static String text(ByteBuffer bytes, Charset charset, String what) throws FrameException {
        try {
            return charset.newDecoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .onUnmappableCharacter(CodingErrorAction.REPORT)
                    .decode(bytes)
                    .toString();
        } catch (CharacterCodingException e) {
            throw new FrameException(what + " is not " + charset.name());
        }
    }
}
