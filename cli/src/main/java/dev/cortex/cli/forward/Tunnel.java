package dev.cortex.cli.forward;

import dev.cortex.protocol.wire.Frame;
import dev.cortex.protocol.wire.FrameChannel;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/** One connection of a client here, joined with one into the sandbox. Each direction ends by itself. */
final class Tunnel {
    private static final int BUFFER = Frame.DATA_BYTES;

    private final SocketChannel client;
    private final FrameChannel inside;
    private final AtomicBoolean clientBroke = new AtomicBoolean();

    Tunnel(SocketChannel client, FrameChannel inside) {
        this.client = client;
        this.inside = inside;
    }

    /**
     * Carries bytes until both directions have ended, or either side broke.
     *
     * @return why the sandbox's side broke, where it was that
     * @throws IOException when the daemon was lost meanwhile
     */
    Optional<Frame.Error> run() throws IOException {
        boolean whole = false;
        try {
            Thread.ofVirtual().name("inward").start(this::inward);
            Optional<Frame.Error> broke = outward();
            whole = broke.isEmpty();
            return broke;
        } finally {
            if (whole) {
                client.close();
            } else {
                reset(client);
            }
            closeInside();
        }
    }

    private Optional<Frame.Error> outward() throws IOException {
        while (true) {
            switch (read().orElseThrow(() -> new IOException("the daemon ended the connection"))) {
                case Frame.Data data -> {
                    if (!handOn(data.bytes())) {
                        return Optional.empty();
                    }
                }
                case Frame.Eof eof -> end();
                case Frame.Exit exit -> {
                    return Optional.empty();
                }
                case Frame.Error error -> {
                    return Optional.of(error);
                }
                default -> throw new IOException("the daemon sent a frame that has no place there");
            }
        }
    }

    /** False where the client takes no more, which is its own affair. */
    private boolean handOn(ByteBuffer bytes) {
        try {
            while (bytes.hasRemaining()) {
                client.write(bytes);
            }
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private void end() {
        try {
            client.shutdownOutput();
        } catch (IOException e) {
            // It has gone, which the other direction finds too.
        }
    }

    /** A client of ours that left is no failure of the sandbox's. */
    private Optional<Frame> read() throws IOException {
        try {
            return inside.read();
        } catch (IOException e) {
            if (clientBroke.get()) {
                return Optional.of(new Frame.Exit(0, 0));
            }
            throw e;
        }
    }

    private void inward() {
        ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER);
        try {
            while (client.read(buffer.clear()) >= 0) {
                inside.write(new Frame.Data(Frame.Tag.STDIN, buffer.flip()));
            }
            inside.write(new Frame.Eof());
        } catch (IOException e) {
            clientBroke.set(true);
            closeInside();
        }
    }

    /** Without an Eof, so that the server inside sees that its client broke off. */
    private void closeInside() {
        try {
            inside.close();
        } catch (IOException e) {
            // It was lost already.
        }
    }

    /** Breaks off, so that a client does not take what came for the whole. */
    static void reset(SocketChannel client) {
        try (client) {
            client.setOption(StandardSocketOptions.SO_LINGER, 0);
        } catch (IOException e) {
            // It has gone by itself.
        }
    }
}
