package dev.cortex.cli.forward;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import dev.cortex.protocol.wire.Frame;
import dev.cortex.protocol.wire.FrameChannel;
import dev.cortex.protocol.wire.FrameChannels;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A tunnel between a real client and a daemon's end that the test plays. */
@Timeout(60)
final class TunnelTest {
    @TempDir
    Path folder;

    private Socket client = new Socket();
    private FrameChannel daemon = FrameChannels.over(closed());
    private CompletableFuture<Optional<Frame.Error>> result = new CompletableFuture<>();

    @BeforeEach
    void join() throws IOException {
        UnixDomainSocketAddress place = UnixDomainSocketAddress.of(folder.resolve("s"));
        try (ServerSocketChannel outside = ServerSocketChannel.open();
                ServerSocketChannel inside = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            outside.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            inside.bind(place);
            client.connect(outside.getLocalAddress());
            SocketChannel accepted = outside.accept();
            FrameChannel ours = FrameChannels.over(SocketChannel.open(place));
            daemon = FrameChannels.over(inside.accept());
            result = CompletableFuture.supplyAsync(
                    () -> {
                        try {
                            return new Tunnel(accepted, ours).run();
                        } catch (IOException e) {
                            throw new CompletionException(e);
                        }
                    },
                    Thread::startVirtualThread);
        }
    }

    @AfterEach
    void part() throws IOException {
        client.close();
        daemon.close();
    }

    private static SocketChannel closed() {
        try {
            SocketChannel channel = SocketChannel.open();
            channel.close();
            return channel;
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void eachDirectionEndsByItself() throws Exception {
        client.getOutputStream().write("question".getBytes(UTF_8));
        client.shutdownOutput();
        assertThat(text(received())).isEqualTo("question");
        daemon.write(data("answer"));
        daemon.write(new Frame.Eof());
        daemon.write(new Frame.Exit(1, 0));
        assertThat(text(client.getInputStream().readAllBytes())).isEqualTo("answer");
        assertThat(result.get()).isEmpty();
    }

    @Test
    void largeBytesPassBothWaysAtOnce() throws Exception {
        byte[] bytes = new byte[20_000_000];
        new Random(7).nextBytes(bytes);
        CompletableFuture<Void> sending = CompletableFuture.runAsync(
                () -> {
                    try {
                        client.getOutputStream().write(bytes);
                        client.shutdownOutput();
                    } catch (IOException e) {
                        throw new CompletionException(e);
                    }
                },
                Thread::startVirtualThread);
        CompletableFuture<Void> answering = CompletableFuture.runAsync(
                () -> {
                    try {
                        for (int at = 0; at < bytes.length; at += Frame.DATA_BYTES) {
                            int most = Math.min(Frame.DATA_BYTES, bytes.length - at);
                            daemon.write(new Frame.Data(Frame.Tag.STDOUT, ByteBuffer.wrap(bytes, at, most)));
                        }
                        daemon.write(new Frame.Eof());
                    } catch (IOException e) {
                        throw new CompletionException(e);
                    }
                },
                Thread::startVirtualThread);
        CompletableFuture<byte[]> arrived = CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return client.getInputStream().readAllBytes();
                    } catch (IOException e) {
                        throw new CompletionException(e);
                    }
                },
                Thread::startVirtualThread);
        assertThat(received()).isEqualTo(bytes);
        assertThat(arrived.get()).isEqualTo(bytes);
        sending.get();
        answering.get();
        daemon.write(new Frame.Exit(1, 0));
        assertThat(result.get()).isEmpty();
    }

    @Test
    void aConnectionThatBrokeInsideIsNoEndForTheClient() throws Exception {
        daemon.write(data("half"));
        assertThat(client.getInputStream().readNBytes(4)).isEqualTo("half".getBytes(UTF_8));
        daemon.write(new Frame.Error("INTERNAL", "reset"));
        assertThatIOException().isThrownBy(() -> client.getInputStream().read());
        assertThat(result.get()).contains(new Frame.Error("INTERNAL", "reset"));
    }

    @Test
    void aDaemonThatIsLostIsNoEndForTheClient() throws Exception {
        daemon.write(data("half"));
        assertThat(client.getInputStream().readNBytes(4)).isEqualTo("half".getBytes(UTF_8));
        daemon.close();
        assertThatIOException().isThrownBy(() -> client.getInputStream().read());
        assertThat(result).failsWithin(java.time.Duration.ofSeconds(30));
    }

    @Test
    void aClientThatBreaksOffSendsNoEof() throws Exception {
        client.getOutputStream().write("half".getBytes(UTF_8));
        assertThat(((Frame.Data) daemon.read().orElseThrow()).bytes().remaining())
                .isEqualTo(4);
        client.setSoLinger(true, 0);
        client.close();
        assertThat(daemon.read()).isEmpty();
        assertThat(result.get()).isEmpty();
    }

    private byte[] received() throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        while (daemon.read().orElseThrow() instanceof Frame.Data data) {
            assertThat(data.tag()).isEqualTo(Frame.Tag.STDIN);
            byte[] bytes = new byte[data.bytes().remaining()];
            data.bytes().get(bytes);
            all.writeBytes(bytes);
        }
        return all.toByteArray();
    }

    private static Frame data(String text) {
        return new Frame.Data(Frame.Tag.STDOUT, ByteBuffer.wrap(text.getBytes(UTF_8)));
    }

    private static String text(byte[] bytes) {
        return new String(bytes, UTF_8);
    }
}
