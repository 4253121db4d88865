package dev.cortex.engine.core;

import dev.cortex.protocol.wire.Frame;
import dev.cortex.protocol.wire.FrameChannel;
import dev.cortex.sandbox.service.SandboxSessions.Attached;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;

/** A client that says one Handshake and then listens. */
final class ClientEnd implements FrameChannel {
    private final BlockingQueue<Optional<Frame>> sent = new LinkedBlockingQueue<>();
    private final List<Frame> received = new CopyOnWriteArrayList<>();

    ClientEnd(Frame... first) {
        for (Frame frame : first) {
            sent.add(Optional.of(frame));
        }
    }

    void relay(Attached attached) {
        try {
            attached.relay().run(this);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            close();
        }
    }

    void say(Frame frame) {
        sent.add(Optional.of(frame));
    }

    List<Frame> frames() {
        return received;
    }

    String text() {
        StringBuilder text = new StringBuilder();
        for (Frame frame : received) {
            if (frame instanceof Frame.Data data) {
                text.append(StandardCharsets.UTF_8.decode(data.bytes().duplicate()));
            }
        }
        return text.toString();
    }

    @Override
    public Optional<Frame> read() throws IOException {
        try {
            return sent.take();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    @Override
    public void write(Frame frame) {
        if (frame instanceof Frame.Data data) {
            // Its bytes are the writer's again once this returns.
            ByteBuffer copy = ByteBuffer.allocate(data.bytes().remaining());
            copy.put(data.bytes()).flip();
            received.add(new Frame.Data(data.tag(), copy));
        } else {
            received.add(frame);
        }
    }

    @Override
    public void close() {
        sent.add(Optional.empty());
    }
}
