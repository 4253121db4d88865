package dev.cortex.testkit.fake;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.wire.Frame;
import dev.cortex.protocol.wire.FrameChannel;
import dev.cortex.sandbox.guest.GuestToken;
import dev.cortex.sandbox.guest.SessionStatus;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** The host's end of a data stream to a fake neuron. */
final class FakeChannel implements FrameChannel {
    private final FakeNeuron neuron;
    private final GuestToken token;
    private final BlockingQueue<Optional<Frame>> toHost = new LinkedBlockingQueue<>();
    private volatile Optional<FakeSession> session = Optional.empty();
    private volatile boolean closed;
    private volatile boolean over;

    FakeChannel(FakeNeuron neuron, GuestToken token) {
        this.neuron = neuron;
        this.token = token;
    }

    @Override
    public Optional<Frame> read() throws IOException {
        if (over || closed) {
            return Optional.empty();
        }
        try {
            Optional<Frame> next = toHost.take();
            over = next.isEmpty();
            return next;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    @Override
    public void write(Frame frame) throws IOException {
        if (closed || over) {
            throw new IOException("the stream is closed");
        }
        switch (frame) {
            case Frame.Handshake handshake -> attach(handshake);
            case Frame.Data data -> {
                byte[] bytes = new byte[data.bytes().remaining()];
                data.bytes().get(bytes);
                session.ifPresent(s -> s.stdin(bytes));
            }
            case Frame.StdinClose close -> session.ifPresent(FakeSession::stdinClosed);
            default -> {}
        }
    }

    @Override
    public void close() {
        closed = true;
        toHost.add(Optional.empty());
    }

    void breakOff() {
        close();
    }

    private void attach(Frame.Handshake handshake) {
        FakeSession found;
        try {
            found = neuron.find(handshake.id(), token);
        } catch (CortexException e) {
            toHost.add(Optional.of(new Frame.Error(e.code().name(), e.getMessage())));
            return;
        }
        session = Optional.of(found);
        SessionStatus now = found.status();
        toHost.add(Optional.of(
                new Frame.HandshakeAck(now.cause().isEmpty(), now.oldest(), now.newest(), found.stdinAccepted())));
        Thread.ofVirtual().name("fake attach").start(() -> send(found, handshake.cursor()));
    }

    private void send(FakeSession found, long from) {
        try {
            long cursor = from == Frame.LIVE_ONLY ? found.status().newest() : from;
            for (Optional<FakeSession.Chunk> next = found.next(cursor);
                    next.isPresent() && !closed;
                    next = found.next(cursor)) {
                toHost.add(Optional.of(new Frame.Data(
                        next.get().tag(), ByteBuffer.wrap(next.get().bytes()))));
                cursor = next.get().end();
            }
            SessionStatus ended = found.status();
            ended.cause().ifPresent(cause -> toHost.add(Optional.of(new Frame.Exit(cause.wire(), ended.code()))));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
