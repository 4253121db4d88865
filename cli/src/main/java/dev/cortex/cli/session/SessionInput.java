package dev.cortex.cli.session;

import dev.cortex.protocol.wire.Frame;
import dev.cortex.protocol.wire.FrameChannel;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * Stdin on its way to a session. Remembers the last of it, so that what a lost connection swallowed is sent again.
 *
 * <p>Everything between here and the process's pipe together buffers less than is remembered, so what was not accepted
 * is always still here.
 */
final class SessionInput {
    static final int REMEMBERED_BYTES = 2 << 20;

    /** Made with the first byte: most commands read nothing. */
    private byte[] ring = {};

    /** Bytes that the person's stdin has given since the session's begin. */
    private long taken;

    private boolean closed;
    private Optional<FrameChannel> frames = Optional.empty();

    /** The session is reached from now on by that channel. */
    synchronized void connect(FrameChannel channel) {
        frames = Optional.of(channel);
        notifyAll();
    }

    synchronized void disconnect() {
        frames = Optional.empty();
    }

    /**
     * Connects anew and sends again what the process has not taken. On a thread of its own where there is something to
     * send: the process may have to write before it reads on.
     *
     * @param accepted bytes that the process has taken
     */
    synchronized void reconnect(FrameChannel channel, long accepted) {
        long missing = taken - accepted;
        if ((missing <= 0 || missing > REMEMBERED_BYTES) && !closed) {
            connect(channel);
            return;
        }
        Thread resending = new Thread(() -> resend(channel, accepted), "cortex-stdin-again");
        resending.setDaemon(true);
        resending.start();
    }

    private synchronized void resend(FrameChannel channel, long accepted) {
        try {
            for (long at = Math.max(accepted, taken - REMEMBERED_BYTES); at < taken; ) {
                int begin = (int) (at % REMEMBERED_BYTES);
                int bytes = (int) Math.min(Math.min(taken - at, REMEMBERED_BYTES - begin), Frame.DATA_BYTES);
                channel.write(new Frame.Data(Frame.Tag.STDIN, ByteBuffer.wrap(ring, begin, bytes)));
                at += bytes;
            }
            if (closed) {
                channel.write(new Frame.StdinClose());
            }
            connect(channel);
        } catch (IOException e) {
            // Lost again; the reader of the channel sees it as well and reconnects.
        }
    }

    /** Sends bytes, at most {@link Frame#DATA_BYTES}. Waits while the session is not reached. */
    synchronized void send(ByteBuffer bytes) throws InterruptedException {
        FrameChannel channel = connected();
        remember(bytes);
        try {
            channel.write(new Frame.Data(Frame.Tag.STDIN, bytes));
        } catch (IOException e) {
            lost(channel);
        }
    }

    synchronized void close() throws InterruptedException {
        FrameChannel channel = connected();
        closed = true;
        try {
            channel.write(new Frame.StdinClose());
        } catch (IOException e) {
            lost(channel);
        }
    }

    /** Tells the terminal's new size where the session is reached; a reconnection tells it anyway. */
    void resize(Frame.Winsize size) {
        Optional<FrameChannel> channel;
        synchronized (this) {
            channel = frames;
        }
        if (channel.isPresent()) {
            try {
                channel.get().write(size);
            } catch (IOException e) {
                // Lost; told again after the reconnection.
            }
        }
    }

    /** What was to be sent is remembered already: the reconnection sends it. */
    private void lost(FrameChannel channel) {
        if (frames.isPresent() && frames.get().equals(channel)) {
            frames = Optional.empty();
        }
    }

    private FrameChannel connected() throws InterruptedException {
        while (frames.isEmpty()) {
            wait();
        }
        return frames.get();
    }

    private void remember(ByteBuffer bytes) {
        if (ring.length == 0) {
            ring = new byte[REMEMBERED_BYTES];
        }
        for (int from = bytes.position(); from < bytes.limit(); ) {
            int begin = (int) (taken % REMEMBERED_BYTES);
            int part = Math.min(bytes.limit() - from, REMEMBERED_BYTES - begin);
            bytes.get(from, ring, begin, part);
            from += part;
            taken += part;
        }
    }
}
