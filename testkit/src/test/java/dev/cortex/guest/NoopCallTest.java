package dev.cortex.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import dev.cortex.guest.pb.Detail;
import dev.cortex.guest.pb.ErrorDetail;
import dev.cortex.guest.pb.Request;
import dev.cortex.guest.pb.Response;
import dev.cortex.guest.pb.Status;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.protocol.wire.Hello;
import dev.cortex.protocol.wire.HelloAck;
import dev.cortex.sandbox.driver.GuestStream;
import dev.cortex.sandbox.driver.SocketStream;
import dev.cortex.sandbox.guest.GuestToken;
import dev.cortex.testkit.pb.NoopRequest;
import dev.cortex.testkit.pb.NoopResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The worked guest call, against a peer that speaks just enough of ttrpc to answer it; the Go side has its own test. */
final class NoopCallTest {
    private static final Duration SOON = Duration.ofSeconds(20);

    @TempDir
    Path folder;

    /** What the peer answers to a request. */
    private interface Answer {
        Response to(NoopRequest request);
    }

    @Test
    void theNameComesBackByteForByte() throws Exception {
        byte[] name = {'a', (byte) 0xff, '\n'};

        assertThat(call(
                        name,
                        request -> Response.newBuilder()
                                .setPayload(payload(NoopResponse.newBuilder()
                                        .setName(request.getName())
                                        .build()))
                                .build()))
                .isEqualTo(name);
    }

    @Test
    void aRefusalKeepsTheGuestsCodeAndWords() {
        ErrorDetail detail = ErrorDetail.newBuilder()
                .setCode("INVALID_ARGUMENT")
                .setMessage("the name has 256 bytes; the most is 255")
                .setRemedy("send a shorter name")
                .build();
        Status status = Status.newBuilder()
                .setCode(3)
                .addDetails(Detail.newBuilder()
                        .setTypeUrl("type.googleapis.com/cortex.guest.v1.ErrorDetail")
                        .setValue(payload(detail)))
                .build();

        CortexException refused = catchThrowableOfType(
                CortexException.class,
                () -> call(
                        new byte[256],
                        request -> Response.newBuilder().setStatus(status).build()));

        assertThat(refused.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
        assertThat(refused).hasMessageContaining("256 bytes");
        assertThat(refused.remedy()).contains("send a shorter name");
    }

    private byte[] call(byte[] name, Answer answer) throws IOException {
        UnixDomainSocketAddress address = UnixDomainSocketAddress.of(folder.resolve("guest.sock"));
        try (ServerSocketChannel listener =
                ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(address)) {
            Thread.ofVirtual().start(() -> serve(listener, answer));
            Calls calls = new Calls(new Dial(() -> dial(address), new Watchdog(), SOON), GuestToken.NONE);
            try {
                return new NoopCall(calls).noop(name, SOON);
            } finally {
                calls.close();
            }
        }
    }

    private static GuestStream dial(UnixDomainSocketAddress address) {
        try {
            return new SocketStream(SocketChannel.open(address));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void serve(ServerSocketChannel listener, Answer answer) {
        try (SocketChannel socket = listener.accept()) {
            read(socket, Hello.BYTES);
            socket.write(new HelloAck(1, HelloAck.Status.OK).encode());
            ByteBuffer header = read(socket, 10);
            int length = header.getInt();
            int stream = header.getInt();
            Request request = Request.parseFrom(read(socket, length));
            assertThat(request.getMethod()).isEqualTo("Noop");
            byte[] response =
                    answer.to(NoopRequest.parseFrom(request.getPayload())).toByteArray();
            socket.write(ByteBuffer.allocate(10 + response.length)
                    .putInt(response.length)
                    .putInt(stream)
                    .put((byte) 2)
                    .put((byte) 0)
                    .put(response)
                    .flip());
            socket.read(ByteBuffer.allocate(1)); // until the host hangs up
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static ByteBuffer read(SocketChannel socket, int bytes) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(bytes);
        while (buffer.hasRemaining() && socket.read(buffer) >= 0) {}
        return buffer.flip();
    }

    private static ByteString payload(MessageLite message) {
        return message.toByteString();
    }
}
