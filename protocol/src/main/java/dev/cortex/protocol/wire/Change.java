package dev.cortex.protocol.wire;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * One record of a watch (docs/protocol.md). Records follow each other in the bytes of a Data frame, none of them over two.
 *
 * @param folder whether the path is, or was, a folder
 * @param path absolute, byte for byte
 * @param from of a move, where it was; else empty
 */
public record Change(Kind kind, boolean folder, byte[] path, byte[] from) {
    private static final int HEAD = 2;
    private static final int FOLDER = 1;

    /** What happened; the wire's numbers begin with 1. */
    public enum Kind {
        CREATED,
        MODIFIED,
        REMOVED,
        MOVED,
        ATTRIBUTES,
        /** Changes beneath the path may have been missed: look at all of it again. */
        RESCAN
    }

    /**
     * All records of a frame.
     *
     * @throws FrameException when the bytes are something else
     */
    public static List<Change> decodeAll(ByteBuffer bytes) throws FrameException {
        List<Change> changes = new ArrayList<>();
        while (bytes.hasRemaining()) {
            changes.add(decode(bytes));
        }
        return changes;
    }

    private static Change decode(ByteBuffer bytes) throws FrameException {
        if (bytes.remaining() < HEAD) {
            throw new FrameException("a change that is cut off");
        }
        int kind = bytes.get() & 0xff;
        int flags = bytes.get() & 0xff;
        if (kind < 1 || kind > Kind.values().length || flags > FOLDER) {
            throw new FrameException("a change of kind " + kind + " with flags " + flags);
        }
        return new Change(Kind.values()[kind - 1], flags == FOLDER, path(bytes), path(bytes));
    }

    private static byte[] path(ByteBuffer bytes) throws FrameException {
        if (bytes.remaining() < 2) {
            throw new FrameException("a change without a path");
        }
        int length = bytes.getShort() & 0xffff;
        if (length > bytes.remaining()) {
            throw new FrameException("a change whose path of " + length + " bytes is cut off");
        }
        byte[] path = new byte[length];
        bytes.get(path);
        return path;
    }
}
