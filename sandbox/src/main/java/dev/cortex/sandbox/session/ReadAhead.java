package dev.cortex.sandbox.session;

import dev.cortex.protocol.wire.Frame;
import dev.cortex.protocol.wire.FrameChannel;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/** A client's channel that is read while nobody asks for its frames yet, so that its end is noticed. */
final class ReadAhead implements FrameChannel {
    /** A client that says more has to wait. */
    private static final int FRAMES = 16;

    /** How long a thread outlives who asked for its frames. */
    private static final Duration ROOM = Duration.ofMillis(500);

    private final FrameChannel client;
    private final BlockingQueue<Optional<Frame>> read = new ArrayBlockingQueue<>(FRAMES);
    private Optional<Frame> first = Optional.empty();
    private boolean dropAck;
    private volatile boolean ended;
    private volatile boolean stopped;

    private ReadAhead(FrameChannel client) {
        this.client = client;
    }

    static ReadAhead of(FrameChannel client) {
        ReadAhead ahead = new ReadAhead(client);
        Thread.ofVirtual().name("read ahead").start(ahead::readOn);
        return ahead;
    }

    /** Nobody asks for frames any more: the thread ends once the channel is closed. */
    void stop() {
        stopped = true;
    }

    /** The client has left. */
    boolean ended() {
        return ended;
    }

    /**
     * The same channel as a relay expects it.
     *
     * @param handshake read before everything else
     * @param acknowledged the client has its HandshakeAck already
     */
    FrameChannel beginningWith(Frame.Handshake handshake, boolean acknowledged) {
        first = Optional.of(handshake);
        dropAck = acknowledged;
        return this;
    }

    private void readOn() {
        try {
            for (Optional<Frame> next = client.read(); next.isPresent(); next = client.read()) {
                put(Optional.of(kept(next.get())));
            }
        } catch (IOException e) {
            System.getLogger(ReadAhead.class.getName()).log(System.Logger.Level.DEBUG, "a client is gone", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        ended = true;
        putEnd();
    }

    private void putEnd() {
        try {
            put(Optional.empty());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void put(Optional<Frame> next) throws InterruptedException {
        while (!stopped && !read.offer(next, ROOM.toMillis(), TimeUnit.MILLISECONDS)) {
            // Full: whoever reads may have gone.
        }
    }

    /** The bytes of a frame are its reader's only until it reads the next. */
    private static Frame kept(Frame frame) {
        if (frame instanceof Frame.Data data) {
            ByteBuffer copy = ByteBuffer.allocate(data.bytes().remaining());
            copy.put(data.bytes()).flip();
            return new Frame.Data(data.tag(), copy);
        }
        return frame;
    }

    @Override
    public Optional<Frame> read() throws IOException {
        if (first.isPresent()) {
            Optional<Frame> handshake = first;
            first = Optional.empty();
            return handshake;
        }
        try {
            return read.take();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    @Override
    public void write(Frame frame) throws IOException {
        if (dropAck && frame instanceof Frame.HandshakeAck) {
            dropAck = false;
            return;
        }
        client.write(frame);
    }

    @Override
    public void close() throws IOException {
        client.close();
    }
}
