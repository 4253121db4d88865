package dev.cortex.daemon.http;

import dev.cortex.daemon.metrics.ClientTraffic;
import dev.cortex.engine.operation.Handler;
import dev.cortex.protocol.wire.FrameChannel;
import dev.cortex.protocol.wire.FrameChannels;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.eclipse.jetty.io.AbstractConnection;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.util.BufferUtil;

/** A connection behind its upgrade: the operation's relay has the socket, on a virtual thread of its own. */
final class FrameConnection extends AbstractConnection implements Connection.UpgradeTo {
    private static final Logger LOG = Logger.getLogger(FrameConnection.class.getName());

    /** A client that has the last frame closes its end; one that does not is not waited for longer. */
    private static final Duration FAREWELL = Duration.ofSeconds(2);

    private final RawEndPoint endPoint;
    private final Handler.Relay relay;
    private final AtomicBoolean begun = new AtomicBoolean();
    private final Optional<Byte> taken;
    private final ClientTraffic clients;
    private byte[] early;

    /** @param taken a byte of the client's that was read behind what Jetty has read */
    FrameConnection(
            RawEndPoint endPoint, Executor executor, Handler.Relay relay, Optional<Byte> taken, ClientTraffic clients) {
        super(endPoint, executor);
        this.endPoint = endPoint;
        this.relay = relay;
        this.taken = taken;
        this.clients = clients;
        this.early = early(BufferUtil.EMPTY_BUFFER);
    }

    private byte[] early(ByteBuffer read) {
        ByteBuffer all = ByteBuffer.allocate(read.remaining() + (taken.isPresent() ? 1 : 0))
                .put(read);
        taken.ifPresent(all::put);
        return all.array();
    }

    @Override
    public void onUpgradeTo(ByteBuffer buffer) {
        early = early(buffer);
    }

    @Override
    public void onOpen() {
        super.onOpen();
        begun.set(true);
        endPoint.setIdleTimeout(0);
        Thread.ofVirtual().name("frames").start(this::relay);
    }

    /** The client went away before the upgrade: the relay still has a guest's stream to close. */
    void abandonUnlessBegun() {
        if (begun.compareAndSet(false, true)) {
            try (FrameChannel nobody = FrameChannels.over(RawSocket.CLOSED)) {
                relay.run(nobody);
            } catch (IOException | RuntimeException e) {
                LOG.log(Level.FINE, "a relay without a client", e);
            }
        }
    }

    private void relay() {
        clients.attached();
        try {
            SocketChannel socket = endPoint.takeSocket();
            relay.run(FrameChannels.over(new RawSocket(socket, ByteBuffer.wrap(early), clients)));
            farewell(socket);
        } catch (IOException e) {
            LOG.log(Level.FINE, "a relay broke off", e);
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "a relay failed", e);
        } finally {
            clients.detached();
            close();
        }
    }

    /** Closing a socket with unread input can take the last frames away from the client: let it close first. */
    private void farewell(SocketChannel socket) throws IOException {
        socket.shutdownOutput();
        Thread timer = Thread.ofVirtual().start(() -> closeAfter(socket));
        ByteBuffer rest = ByteBuffer.allocate(8 << 10);
        while (socket.read(rest.clear()) >= 0) {}
        timer.interrupt();
    }

    private static void closeAfter(SocketChannel socket) {
        try {
            Thread.sleep(FAREWELL);
            socket.close();
        } catch (InterruptedException e) {
            // It closed in time.
        } catch (IOException e) {
            LOG.log(Level.FINE, "closing a connection", e);
        }
    }

    @Override
    public void onFillable() {
        // Never asked for: the relay reads the socket itself.
    }
}
