package dev.cortex.protocol.wire;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.GatheringByteChannel;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/** Frames over a blocking byte stream, without an allocation for a Data frame in either direction. */
final class ByteFrameChannel implements FrameChannel {
    private final ByteChannel stream;
    private final FrameReader reader;
    private final ReentrantLock writing = new ReentrantLock();
    private final ByteBuffer small = ByteBuffer.allocateDirect(FrameCodec.SMALL_BYTES);
    private final ByteBuffer[] pair = {small, small};

    ByteFrameChannel(ByteChannel stream, FrameReader.Room room) {
        this.stream = stream;
        this.reader = new FrameReader(stream, room);
    }

    @Override
    public Optional<Frame> read() throws IOException {
        return reader.next();
    }

    FrameReader reader() {
        return reader;
    }

    @Override
    public void write(Frame frame) throws IOException {
        writing.lock();
        try {
            small.clear();
            if (frame instanceof Frame.Data data) {
                FrameCodec.putDataHeader(small, data.tag(), data.bytes().remaining());
                writeBehindSmall(data.bytes());
            } else if (frame instanceof Frame.Event event) {
                putBodyHeader(FrameCodec.Type.EVENT, event.number(), event.kind(), event.body());
                writeBehindSmall(event.body());
            } else if (frame instanceof Frame.Answer answer) {
                putBodyHeader(FrameCodec.Type.ANSWER, answer.number(), answer.kind(), answer.body());
                writeBehindSmall(answer.body());
            } else {
                FrameCodec.put(small, frame);
                drain(small.flip());
            }
        } finally {
            writing.unlock();
        }
    }

    private void putBodyHeader(int type, long number, int kind, ByteBuffer body) {
        FrameCodec.putBodyHeader(small, type, number, kind, body.remaining());
    }

    private void writeBehindSmall(ByteBuffer bytes) throws IOException {
        if (bytes.remaining() <= small.remaining()) {
            // A keystroke or a line: copying it is cheaper than a gathering write.
            small.put(bytes);
            drain(small.flip());
        } else if (stream instanceof GatheringByteChannel gathering) {
            pair[1] = bytes;
            small.flip();
            while (bytes.hasRemaining()) {
                if (gathering.write(pair) == 0) {
                    throw new IOException("the stream does not block");
                }
            }
            pair[1] = small;
        } else {
            drain(small.flip());
            drain(bytes);
        }
    }

    /** Writes whole frames as they are; for {@link FrameRelay}. */
    void writeWhole(ByteBuffer frames) throws IOException {
        writing.lock();
        try {
            drain(frames);
        } finally {
            writing.unlock();
        }
    }

    private void drain(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            if (stream.write(bytes) == 0) {
                throw new IOException("the stream does not block");
            }
        }
    }

    @Override
    public void close() throws IOException {
        stream.close();
    }
}
