package dev.cortex.daemon.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.ScheduledExecutorScheduler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class RawEndPointTest {
    @TempDir
    Path folder;

    @Test
    void aSocketThatIsTakenBeforeTheSelectorsRoundEndsStaysOpenBehindIt() throws Exception {
        UnixDomainSocketAddress address = UnixDomainSocketAddress.of(folder.resolve("s"));
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
                Selector selector = Selector.open()) {
            server.bind(address);
            try (SocketChannel client = SocketChannel.open(address);
                    SocketChannel accepted = server.accept()) {
                accepted.configureBlocking(false);
                SelectionKey key = accepted.register(selector, 0);
                RawEndPoint endPoint = new RawEndPoint(accepted, null, key, new ScheduledExecutorScheduler());
                Thread rounds = new Thread(() -> select(selector));
                rounds.start();
                // The round's end has an interest to tell to the key.
                endPoint.fillInterested(Callback.NOOP);

                SocketChannel taken = endPoint.takeSocket();
                endPoint.updateKey();

                assertThat(taken.isOpen()).isTrue();
                assertThat(taken.isBlocking()).isTrue();
                client.write(ByteBuffer.wrap(new byte[] {42}));
                assertThat(taken.read(ByteBuffer.allocate(1))).isEqualTo(1);
                selector.close();
                rounds.join();
            }
        }
    }

    private static void select(Selector selector) {
        try {
            while (selector.isOpen()) {
                selector.select();
            }
        } catch (IOException | java.nio.channels.ClosedSelectorException e) {
            // The test is over.
        }
    }
}
