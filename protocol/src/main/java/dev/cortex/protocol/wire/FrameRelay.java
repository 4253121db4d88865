package dev.cortex.protocol.wire;

import java.io.IOException;
import java.util.Optional;
import java.util.function.LongConsumer;

/**
 * Passes frames from one channel on to another. Only headers are looked at, and whole runs of frames are written as they
 * came; an incomplete frame is never passed on. Each direction of a connection is a relay and a thread of its own.
 */
public final class FrameRelay {
    private FrameRelay() {}

    /** Who sends the frames that are relayed; a type that this side may not send is refused. */
    public enum Side {
        HOST,
        GUEST;

        void check(int type) throws FrameException {
            boolean allowed = switch (type) {
                case FrameCodec.Type.HANDSHAKE,
                        FrameCodec.Type.WINSIZE,
                        FrameCodec.Type.STDIN_CLOSE,
                        FrameCodec.Type.ANSWER -> this == HOST;
                case FrameCodec.Type.HANDSHAKE_ACK,
                        FrameCodec.Type.EXIT,
                        FrameCodec.Type.GAP,
                        FrameCodec.Type.ERROR,
                        FrameCodec.Type.EVENT -> this == GUEST;
                default -> true;
            };
            if (!allowed) {
                throw new FrameException("a frame of type " + type + " from the wrong side");
            }
        }
    }

    /** How a relay came to its end. */
    public enum End {
        /** The sender's stream ended between two frames. */
        CLOSED,
        /** An Exit frame was passed on: a session or a transfer is over. */
        EXIT,
        /** An Error frame was passed on. */
        ERROR
    }

    /**
     * Relays until the sender's stream ends or its last frame has been passed on. Closes neither channel; closing one
     * from another thread ends the relay with an exception.
     *
     * @param passed told, on this thread, how many bytes were just passed on (headers included)
     * @throws FrameException when the sender breaks the protocol; nothing of that frame was passed on
     */
    public static End relay(FrameChannel from, FrameChannel to, Side side, LongConsumer passed) throws IOException {
        if (from instanceof ByteFrameChannel source && to instanceof ByteFrameChannel target) {
            return relayRuns(source.reader(), target, side, passed);
        }
        return relayFrames(from, to, passed);
    }

    private static End relayRuns(FrameReader source, ByteFrameChannel target, Side side, LongConsumer passed)
            throws IOException {
        while (true) {
            FrameReader.Run run = source.nextRun(side);
            if (run.last() == 0) {
                return End.CLOSED;
            }
            int bytes = run.frames().remaining();
            target.writeWhole(run.frames());
            passed.accept(bytes);
            if (isLast(run.last())) {
                return run.last() == FrameCodec.Type.EXIT ? End.EXIT : End.ERROR;
            }
        }
    }

    private static End relayFrames(FrameChannel from, FrameChannel to, LongConsumer passed) throws IOException {
        for (Optional<Frame> next = from.read(); next.isPresent(); next = from.read()) {
            Frame frame = next.get();
            long bytes = frame instanceof Frame.Data data ? data.bytes().remaining() : FrameCodec.HEADER_BYTES;
            to.write(frame);
            passed.accept(bytes);
            if (frame instanceof Frame.Exit) {
                return End.EXIT;
            }
            if (frame instanceof Frame.Error) {
                return End.ERROR;
            }
        }
        return End.CLOSED;
    }

    static boolean isLast(int type) {
        return type == FrameCodec.Type.EXIT || type == FrameCodec.Type.ERROR;
    }
}
