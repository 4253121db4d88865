package dev.cortex.guest;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import dev.cortex.guest.pb.Detail;
import dev.cortex.guest.pb.ErrorDetail;
import dev.cortex.guest.pb.Request;
import dev.cortex.guest.pb.Response;
import dev.cortex.guest.pb.Status;
import dev.cortex.protocol.wire.FrameChannel;
import dev.cortex.protocol.wire.FrameChannels;
import dev.cortex.protocol.wire.Hello;
import dev.cortex.protocol.wire.HelloAck;
import dev.cortex.sandbox.driver.GuestStream;
import dev.cortex.sandbox.driver.SocketStream;
import dev.cortex.sandbox.guest.Guest;
import dev.cortex.sandbox.guest.GuestToken;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** A guest that does with each stream what a test says: honest bytes, lies, or nothing. */
final class ScriptedGuest implements AutoCloseable {
    private final ServerSocketChannel listener;
    private final UnixDomainSocketAddress address;
    private final Script script;
    private final AtomicInteger dials = new AtomicInteger();
    private final List<SocketChannel> open = new CopyOnWriteArrayList<>();
    private final List<Hello> hellos = new CopyOnWriteArrayList<>();

    /** What the guest does with one stream, from its first byte; the stream is closed when it returns. */
    interface Script {
        void run(Peer peer) throws Exception;
    }

    ScriptedGuest(Path folder, Script script) throws IOException {
        this.script = script;
        this.address = UnixDomainSocketAddress.of(folder.resolve("guest.sock"));
        this.listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(address);
        Thread.ofVirtual().start(this::accept);
    }

    Guest connect() {
        return new Neuron(new Dial(this::dial, new Watchdog(), Duration.ofMillis(300)), GuestToken.NONE);
    }

    int dials() {
        return dials.get();
    }

    List<Hello> hellos() {
        return hellos;
    }

    private GuestStream dial() {
        try {
            dials.incrementAndGet();
            return new SocketStream(SocketChannel.open(address));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void accept() {
        while (listener.isOpen()) {
            try {
                SocketChannel socket = listener.accept();
                open.add(socket);
                Thread.ofVirtual().start(() -> serve(socket));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void serve(SocketChannel socket) {
        try (socket) {
            script.run(new Peer(socket, hellos));
        } catch (Exception e) {
            // The host hung up on this guest, which is what most tests want.
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (SocketChannel socket : open) {
            socket.close();
        }
    }

    /** The guest's end of one stream. */
    record Peer(SocketChannel socket, List<Hello> hellos) {
        /** A request with the id that its answer needs. */
        record Call(int id, String method, ByteString payload) {}

        Hello hello() throws IOException {
            Hello hello = Hello.decode(read(Hello.BYTES));
            hellos.add(hello);
            return hello;
        }

        /** Reads the Hello and accepts it. */
        Hello welcome() throws IOException {
            Hello hello = hello();
            write(new HelloAck(1, HelloAck.Status.OK).encode());
            return hello;
        }

        Call call() throws IOException {
            ByteBuffer header = read(10);
            int length = header.getInt();
            int id = header.getInt();
            Request request = Request.parseFrom(read(length));
            return new Call(id, request.getMethod(), request.getPayload());
        }

        void answer(int id, MessageLite payload) throws IOException {
            answer(
                    id,
                    Response.newBuilder()
                            .setPayload(payload.toByteString())
                            .build()
                            .toByteArray());
        }

        void answer(int id, byte[] response) throws IOException {
            write(header(response.length, id, 2));
            write(ByteBuffer.wrap(response));
        }

        void refuse(int id, String code, String message, String remedy) throws IOException {
            ErrorDetail detail = ErrorDetail.newBuilder()
                    .setCode(code)
                    .setMessage(message)
                    .setRemedy(remedy)
                    .build();
            refuse(
                    id,
                    Status.newBuilder()
                            .setCode(9)
                            .setMessage("shown nowhere")
                            .addDetails(Detail.newBuilder()
                                    .setTypeUrl("type.googleapis.com/cortex.guest.v1.ErrorDetail")
                                    .setValue(detail.toByteString()))
                            .build());
        }

        void refuse(int id, Status status) throws IOException {
            answer(id, Response.newBuilder().setStatus(status).build().toByteArray());
        }

        static ByteBuffer header(int length, int id, int type) {
            return ByteBuffer.allocate(10)
                    .putInt(length)
                    .putInt(id)
                    .put((byte) type)
                    .put((byte) 0)
                    .flip();
        }

        FrameChannel frames() {
            return FrameChannels.over(new SocketStream(socket));
        }

        void write(ByteBuffer bytes) throws IOException {
            while (bytes.hasRemaining()) {
                socket.write(bytes);
            }
        }

        ByteBuffer read(int length) throws IOException {
            ByteBuffer bytes = ByteBuffer.allocate(length);
            while (bytes.hasRemaining()) {
                if (socket.read(bytes) < 0) {
                    throw new IOException("the host hung up");
                }
            }
            return bytes.flip();
        }

        /** Waits until the host hangs up. */
        void untilHungUp() throws IOException {
            ByteBuffer bytes = ByteBuffer.allocate(4_096);
            while (socket.read(bytes.clear()) >= 0) {}
        }
    }
}
