package dev.cortex.protocol.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class FrameChannelTest {
    private static final Frame.Data HELLO = new Frame.Data(
            Frame.Tag.STDOUT, ByteBuffer.wrap(new byte[] {'h', 'i'}).asReadOnlyBuffer());

    @Test
    void manyMegabytesOfRandomBytesEndWithAFrameExceptionAndAllocateNoMoreThanOneBuffer() throws IOException {
        Random random = new Random(20_261_129);
        long before = direct();
        for (int round = 0; round < 200; round++) {
            byte[] noise = new byte[random.nextInt(1, 60_000)];
            random.nextBytes(noise);
            // A small length that fits its type lets the decoder go on further than noise alone would.
            if (round % 2 == 0 && noise.length > 5) {
                ByteBuffer.wrap(noise).putInt(random.nextInt(0, 70_000)).put((byte) random.nextInt(0, 11));
            }
            try (FrameChannel channel = FrameChannels.over(new MemoryStream(noise, 4_096))) {
                while (channel.read().isPresent()) {}
            } catch (FrameException expected) {
                assertThat(expected).hasMessageMatching(".+");
            }
        }
        // Each channel may hold one buffer that the collector has not yet freed.
        assertThat(direct() - before).isLessThan(200L * (300 << 10));
    }

    @Test
    void aLengthNearFourGigabytesIsRefusedBeforeAnythingIsReadOrAllocatedForIt() throws IOException {
        long before = direct();
        try (FrameChannel channel = FrameChannels.over(new MemoryStream(new byte[] {-1, -1, -1, -1, 3, 1, 2, 3}, 8))) {
            assertThatIOException().isThrownBy(channel::read).withMessageContaining("4294967295");
        }
        assertThat(direct() - before).isLessThan(64 << 10);
    }

    @Test
    void twoHundredThousandDataFramesReadAndWrittenAllocateNothingOnTheHeap() throws IOException {
        byte[] one = FramePropertiesTest.write(List.of(HELLO), 100);
        ByteBuffer many = ByteBuffer.allocate(one.length * 200_000);
        while (many.hasRemaining()) {
            many.put(one);
        }
        FrameChannel from = FrameChannels.over(new MemoryStream(many.array(), 64 << 10));
        FrameChannel to = FrameChannels.over(new Discard());
        com.sun.management.ThreadMXBean threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        int count = 0;
        while (true) {
            var next = from.read();
            if (next.isEmpty()) {
                break;
            }
            to.write(next.get());
            count++;
        }
        assertThat(count).isEqualTo(200_000);
        // The stream of the test makes a slice for each of its 34 reads; a frame has less than a byte.
        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(100_000);
    }

    @Test
    void writersOfOneChannelDoNotMixTheirFrames(@TempDir Path folder) throws Exception {
        try (Pair pair = Pair.open(folder)) {
            FrameChannel left = FrameChannels.over(pair.left());
            FrameChannel right = FrameChannels.over(pair.right());
            List<Thread> writers =
                    List.of(writer(left, (byte) 'a'), writer(left, (byte) 'b'), writer(left, (byte) 'c'));
            int bytes = 0;
            while (bytes < 3 * 50 * 30_000) {
                Frame.Data data = (Frame.Data) right.read().orElseThrow();
                byte first = data.bytes().get(data.bytes().position());
                bytes += data.bytes().remaining();
                while (data.bytes().hasRemaining()) {
                    assertThat(data.bytes().get()).isEqualTo(first);
                }
            }
            for (Thread writer : writers) {
                writer.join();
            }
        }
    }

    @Test
    void closingFreesAReaderThatWaits(@TempDir Path folder) throws Exception {
        try (Pair pair = Pair.open(folder)) {
            FrameChannel channel = FrameChannels.over(pair.left());
            CountDownLatch freed = new CountDownLatch(1);
            AtomicReference<Object> seen = new AtomicReference<>("nothing");
            Thread.ofVirtual().start(() -> {
                try {
                    seen.set(channel.read());
                } catch (IOException e) {
                    seen.set(e);
                }
                freed.countDown();
            });
            Thread.sleep(20);
            channel.close();
            assertThat(freed.await(10, TimeUnit.SECONDS)).isTrue();
            assertThat(seen.get()).isInstanceOf(IOException.class);
        }
    }

    @Test
    void aRelayEndsAtTheExitFrameAndLeavesWhatComesBehindIt() throws IOException {
        byte[] bytes = FramePropertiesTest.write(List.of(HELLO, new Frame.Exit(1, 3), new Frame.Eof()), 1_000);
        FrameChannel from = FrameChannels.over(new MemoryStream(bytes, 1_000));
        MemoryStream target = new MemoryStream(new byte[0], 1_000);
        FrameRelay.End end = FrameRelay.relay(from, FrameChannels.over(target), FrameRelay.Side.GUEST, count -> {});
        assertThat(end).isEqualTo(FrameRelay.End.EXIT);
        assertThat(target.written()).hasSize(bytes.length - FrameCodec.HEADER_BYTES);
        assertThat(from.read()).contains(new Frame.Eof());
    }

    @Test
    void aRelayRefusesATypeThatItsSenderMayNotSend() throws IOException {
        byte[] bytes = FramePropertiesTest.write(List.of(new Frame.Exit(1, 0)), 1_000);
        FrameChannel from = FrameChannels.over(new MemoryStream(bytes, 1_000));
        MemoryStream target = new MemoryStream(new byte[0], 1_000);
        assertThatIOException()
                .isThrownBy(() -> FrameRelay.relay(from, FrameChannels.over(target), FrameRelay.Side.HOST, count -> {}))
                .withMessageContaining("wrong side");
        assertThat(target.written()).isEmpty();
    }

    @Test
    void anErrorsTextsAreCutToWhatTheProtocolAllowsBetweenCharacters() throws IOException {
        byte[] bytes =
                FramePropertiesTest.write(List.of(new Frame.Error("X".repeat(70), "e".repeat(4_094) + "€uro")), 10_000);
        FrameChannel channel = FrameChannels.over(new MemoryStream(bytes, 10_000));
        assertThat(channel.read()).contains(new Frame.Error("X".repeat(64), "e".repeat(4_094)));
    }

    @Test
    void whatNoPeerWouldTakeIsRefusedBeforeItIsWritten() {
        MemoryStream stream = new MemoryStream(new byte[0], 1_000);
        FrameChannel channel = FrameChannels.over(stream);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> channel.write(new Frame.Data(Frame.Tag.STDIN, ByteBuffer.allocate(65_537))));
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        channel.write(new Frame.Handshake(Frame.Kind.ATTACH, Frame.Mode.HOLD, 0, "x".repeat(129))));
        assertThat(stream.written()).isEmpty();
    }

    private static Thread writer(FrameChannel to, byte letter) {
        return Thread.ofVirtual().start(() -> {
            byte[] bytes = new byte[30_000];
            java.util.Arrays.fill(bytes, letter);
            try {
                for (int i = 0; i < 50; i++) {
                    to.write(new Frame.Data(Frame.Tag.STDOUT, ByteBuffer.wrap(bytes)));
                }
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        });
    }

    private static long direct() {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct"))
                .mapToLong(BufferPoolMXBean::getMemoryUsed)
                .sum();
    }

    /** Two ends of a Unix socket. */
    private record Pair(SocketChannel left, SocketChannel right) implements AutoCloseable {
        static Pair open(Path folder) throws IOException {
            UnixDomainSocketAddress address = UnixDomainSocketAddress.of(folder.resolve("s"));
            try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
                server.bind(address);
                SocketChannel left = SocketChannel.open(address);
                return new Pair(left, server.accept());
            }
        }

        @Override
        public void close() throws IOException {
            left.close();
            right.close();
        }
    }

    private static final class Discard implements java.nio.channels.ByteChannel {
        @Override
        public int read(ByteBuffer to) {
            return -1;
        }

        @Override
        public int write(ByteBuffer from) {
            int length = from.remaining();
            from.position(from.limit());
            return length;
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {}
    }
}
