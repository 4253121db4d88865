package dev.cortex.protocol.wire;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.util.Optional;

/** Reads frames through one direct buffer, which holds as many as one read of the stream gives. For one thread. */
final class FrameReader {
    /**
     * How large the buffer is.
     *
     * @param first bytes; once a read fills them it gets {@code most}
     * @param most bytes: at least the longest frame's
     */
    record Room(int first, int most) {
        /** Most attached sessions idle. Three whole Data frames and the begin of a fourth; more gave nothing. */
        static final Room ROOMY = new Room(16 << 10, 256 << 10);

        /** One frame of any length. */
        static final Room SPARING = new Room(1 << 10, Frame.PAYLOAD_BYTES + FrameCodec.HEADER_BYTES);
    }

    private final ReadableByteChannel stream;
    private final Room room;
    private ByteBuffer buffer;
    private boolean filled;

    /** What is handed out for Data: one view, which moves, in one frame for each tag. */
    private ByteBuffer view;

    private Optional<Frame> stdin = Optional.empty();
    private Optional<Frame> stdout = Optional.empty();
    private Optional<Frame> stderr = Optional.empty();

    FrameReader(ReadableByteChannel stream, Room room) {
        this.stream = stream;
        this.room = room;
        this.buffer = ByteBuffer.allocateDirect(room.first()).limit(0);
        this.view = buffer.duplicate();
        makeViews();
    }

    /** The next frame; empty where the stream ends between two frames. */
    Optional<Frame> next() throws IOException {
        if (!await(FrameCodec.HEADER_BYTES)) {
            return Optional.empty();
        }
        int begin = buffer.position();
        int length = checkedLength(begin);
        int type = buffer.get(begin + 4) & 0xff;
        if (!await(FrameCodec.HEADER_BYTES + length)) {
            throw cutOff();
        }
        int payload = buffer.position() + FrameCodec.HEADER_BYTES;
        buffer.position(payload + length);
        if (type == FrameCodec.Type.DATA) {
            return data(payload, length);
        }
        return Optional.of(FrameCodec.decode(type, buffer.slice(payload, length)));
    }

    /**
     * Waits for at least one whole frame, then gives every whole frame that has arrived, up to and including the first
     * of a type that ends the stream: a view that is valid until the next read. Only headers are checked.
     *
     * @return empty where the stream ends between two frames
     */
    Run nextRun(FrameRelay.Side side) throws IOException {
        if (!await(FrameCodec.HEADER_BYTES)) {
            return Run.NONE;
        }
        int first = FrameCodec.HEADER_BYTES + checkedLength(buffer.position());
        if (!await(first)) {
            throw cutOff();
        }
        int begin = buffer.position();
        int end = begin;
        int last = 0;
        while (buffer.limit() - end >= FrameCodec.HEADER_BYTES && !FrameRelay.isLast(last)) {
            int frame = FrameCodec.HEADER_BYTES + checkedLength(end);
            if (buffer.limit() - end < frame) {
                break;
            }
            last = buffer.get(end + 4) & 0xff;
            side.check(last);
            end += frame;
        }
        buffer.position(end);
        view.limit(end).position(begin);
        return new Run(view, last);
    }

    /**
     * Whole frames as they came.
     *
     * @param last type of the last of them, 0 where there is none
     */
    record Run(ByteBuffer frames, int last) {
        static final Run NONE = new Run(ByteBuffer.allocate(0), 0);
    }

    private int checkedLength(int at) throws FrameException {
        long length = buffer.getInt(at) & 0xffffffffL;
        FrameCodec.check(length, buffer.get(at + 4) & 0xff);
        return (int) length;
    }

    private Optional<Frame> data(int payload, int length) throws FrameException {
        Frame.Tag tag = FrameCodec.tag(buffer.get(payload));
        view.limit(payload + length).position(payload + 1);
        if (tag == Frame.Tag.STDOUT) {
            return stdout;
        }
        return tag == Frame.Tag.STDERR ? stderr : stdin;
    }

    /** Reads until so many bytes lie behind the position; false where the stream ends before the first of them. */
    private boolean await(int bytes) throws IOException {
        while (buffer.remaining() < bytes) {
            makeRoom(bytes);
            int position = buffer.position();
            int limit = buffer.limit();
            buffer.limit(buffer.capacity()).position(limit);
            int read;
            try {
                read = stream.read(buffer);
            } finally {
                filled = !buffer.hasRemaining();
                buffer.limit(buffer.position()).position(position);
            }
            if (read == 0) {
                throw new IOException("the stream does not block");
            }
            if (read < 0) {
                if (buffer.hasRemaining()) {
                    throw cutOff();
                }
                return false;
            }
        }
        return true;
    }

    private void makeRoom(int bytes) {
        if (bytes > buffer.capacity() || (filled && buffer.capacity() < room.most())) {
            ByteBuffer wider = ByteBuffer.allocateDirect(room.most());
            wider.put(buffer).flip();
            buffer = wider;
            filled = false;
            makeViews();
        } else if (!buffer.hasRemaining() || buffer.capacity() - buffer.position() < bytes) {
            buffer.compact().flip();
        }
    }

    private void makeViews() {
        view = buffer.duplicate();
        stdin = Optional.of(new Frame.Data(Frame.Tag.STDIN, view));
        stdout = Optional.of(new Frame.Data(Frame.Tag.STDOUT, view));
        stderr = Optional.of(new Frame.Data(Frame.Tag.STDERR, view));
    }

    private static FrameException cutOff() {
        return new FrameException("the stream ends in the middle of a frame");
    }
}
