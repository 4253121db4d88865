package dev.cortex.sandbox.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cortex.protocol.wire.Frame;
import dev.cortex.protocol.wire.FrameChannel;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

final class ReadAheadTest {
    /** A client that goes on talking until it is closed. */
    private static final class Talker implements FrameChannel {
        private final CountDownLatch spoke = new CountDownLatch(17);
        private final AtomicBoolean closed = new AtomicBoolean();
        private final AtomicReference<Optional<Thread>> reader = new AtomicReference<>(Optional.empty());

        @Override
        public Optional<Frame> read() {
            reader.set(Optional.of(Thread.currentThread()));
            spoke.countDown();
            return closed.get() ? Optional.empty() : Optional.of(new Frame.StdinClose());
        }

        @Override
        public void write(Frame frame) {}

        @Override
        public void close() {
            closed.set(true);
        }
    }

    @Test
    void itsThreadEndsWhenNobodyTakesWhatATalkativeClientSays() throws Exception {
        Talker client = new Talker();
        ReadAhead ahead = ReadAhead.of(client);
        assertThat(client.spoke.await(20, TimeUnit.SECONDS)).isTrue();
        client.close();
        ahead.stop();
        assertThat(client.reader.get().orElseThrow().join(Duration.ofSeconds(20)))
                .as("the thread that reads has ended")
                .isTrue();
    }
}
