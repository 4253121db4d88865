package dev.cortex.sandbox.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cortex.protocol.wire.Frame;
import dev.cortex.protocol.wire.FrameChannel;
import dev.cortex.protocol.wire.FrameChannels;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class HandshakesTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final Frame.Handshake ATTACH = new Frame.Handshake(Frame.Kind.ATTACH, Frame.Mode.HOLD, 0, "s_1");

    @TempDir
    Path folder;

    private FrameChannel client;
    private FrameChannel ours;

    @BeforeEach
    void connect() throws IOException {
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            UnixDomainSocketAddress address = UnixDomainSocketAddress.of(folder.resolve("s"));
            server.bind(address);
            client = FrameChannels.over(SocketChannel.open(address));
            ours = FrameChannels.over(server.accept());
        }
    }

    @AfterEach
    void close() throws IOException {
        client.close();
        ours.close();
    }

    @Test
    void aHandshakeIsRead() throws IOException {
        client.write(ATTACH);
        assertThat(Handshakes.read(ours, LONG)).contains(ATTACH);
    }

    @Test
    void aClientThatSendsNoneIsToldSoAndItsRelayEnds() throws IOException {
        assertThatThrownBy(() -> Handshakes.read(ours, Duration.ofMillis(50))).isInstanceOf(IOException.class);
        assertThat(client.read())
                .hasValueSatisfying(frame -> assertThat(frame)
                        .isInstanceOfSatisfying(
                                Frame.Error.class, e -> assertThat(e.code()).isEqualTo("DEADLINE")));
        assertThat(client.read()).isEmpty();
    }

    @Test
    void aClientThatLeavesSendsNone() throws IOException {
        client.close();
        assertThat(Handshakes.read(ours, LONG)).isEmpty();
    }

    @Test
    void anotherFrameInItsPlaceIsRefused() throws IOException {
        client.write(new Frame.StdinClose());
        assertThat(Handshakes.read(ours, LONG)).isEmpty();
        assertThat(client.read()).hasValueSatisfying(frame -> assertThat(frame).isInstanceOf(Frame.Error.class));
    }
}
