package dev.cortex.drivers.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.cortex.drivers.launch.SocketFile;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.SandboxId;
import dev.cortex.sandbox.driver.GuestStream;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SocketDialerTest {
    private static final SandboxId ID = new SandboxId("sb_01kb8q5v3mfxw4s6y2r9t7c1ah");
    private static final int BACKLOG = 1;

    @TempDir
    private Path folder;

    private Path path;
    private ServerSocketChannel server;
    private SocketFile socket;
    private final SocketDialer dialer = new SocketDialer(Duration.ofSeconds(30));

    @BeforeEach
    void listen() throws IOException {
        path = folder.resolve("n.sock");
        server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        server.bind(UnixDomainSocketAddress.of(path), BACKLOG);
        socket = new SocketFile(path.toString(), (Long) Files.getAttribute(path, "unix:dev"), (Long)
                Files.getAttribute(path, "unix:ino"));
    }

    @AfterEach
    void close() throws IOException {
        server.close();
    }

    private ErrorCode refusal(SocketDialer by) {
        return catchThrowableOfType(CortexException.class, () -> by.dial(ID, socket))
                .code();
    }

    @Test
    void bytesGoBothWays() throws IOException {
        try (GuestStream stream = dialer.dial(ID, socket);
                SocketChannel guest = server.accept()) {
            stream.write(new ByteBuffer[] {ByteBuffer.wrap(new byte[] {1, 2}), ByteBuffer.wrap(new byte[] {3})});
            ByteBuffer read = ByteBuffer.allocate(8);
            while (read.position() < 3) {
                guest.read(read);
            }
            assertThat(read.array()).startsWith(1, 2, 3);
            guest.write(ByteBuffer.wrap(new byte[] {9}));
            ByteBuffer answer = ByteBuffer.allocate(8);
            assertThat(stream.read(answer)).isEqualTo(1);
        }
    }

    @Test
    void aFullBacklogIsWaitedForOnAVirtualThreadToo() throws Exception {
        int dials = 20;
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<GuestStream>> streams = new ArrayList<>();
            for (int i = 0; i < dials; i++) {
                streams.add(threads.submit(() -> dialer.dial(ID, socket)));
            }
            // Nobody accepts for a while, so that most of them meet a full backlog.
            Thread.sleep(100);
            List<SocketChannel> accepted = new ArrayList<>();
            for (int i = 0; i < dials; i++) {
                accepted.add(server.accept());
            }
            for (Future<GuestStream> stream : streams) {
                stream.get().close();
            }
            for (SocketChannel channel : accepted) {
                channel.close();
            }
        }
    }

    @Test
    void aBacklogThatStaysFullIsLost() throws Exception {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<GuestStream> waiting = new ArrayList<>();
            for (int i = 0; i <= BACKLOG; i++) {
                waiting.add(dialer.dial(ID, socket));
            }
            SocketDialer impatient = new SocketDialer(Duration.ofMillis(50));
            assertThat(threads.submit(() -> refusal(impatient)).get()).isEqualTo(ErrorCode.GUEST_LOST);
            for (GuestStream stream : waiting) {
                stream.close();
            }
        }
    }

    @Test
    void aSocketThatIsGoneIsLost() throws IOException {
        Files.delete(path);
        assertThat(refusal(dialer)).isEqualTo(ErrorCode.GUEST_LOST);
    }

    @Test
    void aSocketThatNobodyListensOnIsLost() throws IOException {
        server.close();
        assertThat(refusal(dialer)).isEqualTo(ErrorCode.GUEST_LOST);
    }

    @Test
    void anotherFileInItsPlaceIsLost() throws IOException {
        Files.move(path, folder.resolve("moved"));
        Files.createSymbolicLink(path, folder.resolve("moved"));
        assertThat(refusal(dialer)).isEqualTo(ErrorCode.GUEST_LOST);
    }
}
