package dev.cortex.testkit.fake;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.protocol.wire.FrameChannel;
import dev.cortex.sandbox.driver.GuestStream;
import dev.cortex.sandbox.guest.Guest;
import dev.cortex.sandbox.guest.GuestConnector;
import dev.cortex.sandbox.guest.GuestEvent;
import dev.cortex.sandbox.guest.GuestEvents;
import dev.cortex.sandbox.guest.GuestFiles;
import dev.cortex.sandbox.guest.GuestIdentity;
import dev.cortex.sandbox.guest.GuestInfo;
import dev.cortex.sandbox.guest.GuestToken;
import dev.cortex.sandbox.guest.GuestTunnel;
import dev.cortex.sandbox.guest.SessionSpec;
import dev.cortex.sandbox.guest.SessionStatus;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Connects to the neurons of a {@link FakeMachine}. */
public final class FakeConnector implements GuestConnector {
    @Override
    public Guest connect(Supplier<GuestStream> dialer, GuestToken token) {
        return new FakeGuest(dialer, token);
    }

    private static final class FakeGuest implements Guest {
        private final Supplier<GuestStream> dialer;
        private final CountDownLatch closed = new CountDownLatch(1);
        private volatile GuestToken token;

        FakeGuest(Supplier<GuestStream> dialer, GuestToken token) {
            this.dialer = dialer;
            this.token = token;
        }

        private FakeNeuron neuron() {
            if (closed.getCount() == 0) {
                throw CortexException.of(ErrorCode.GUEST_LOST, "this guest is closed", "");
            }
            return ((FakeStream) dialer.get()).neuron();
        }

        @Override
        public GuestInfo info(Duration deadline) {
            return neuron().info(token);
        }

        @Override
        public void initialize(GuestIdentity identity, Duration deadline) {
            neuron().initialize(identity);
            token = identity.token();
        }

        @Override
        public SessionStatus exec(SessionSpec spec) {
            return neuron().exec(spec, token);
        }

        @Override
        public int signal(String session, int signal, boolean all) {
            neuron().find(session, token).signal(signal);
            return 1;
        }

        @Override
        public SessionStatus status(String session, Duration wait) {
            FakeNeuron neuron = neuron();
            FakeSession found = neuron.find(session, token);
            try {
                CountDownLatch broken = neuron.broken();
                long deadline = System.nanoTime() + wait.toNanos();
                SessionStatus now = found.status();
                while (now.cause().isEmpty() && System.nanoTime() < deadline) {
                    now = found.awaitEnd(Duration.ofMillis(10));
                    if (broken.getCount() == 0 || closed.getCount() == 0) {
                        throw CortexException.of(ErrorCode.GUEST_LOST, "the stream broke", "");
                    }
                }
                return now;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw CortexException.of(ErrorCode.CANCELLED, "interrupted", "");
            }
        }

        @Override
        public List<SessionStatus> sessions() {
            FakeNeuron neuron = neuron();
            neuron.awaitTurn();
            return neuron.all(token);
        }

        @Override
        public List<SessionStatus> sessions(Duration deadline) {
            return sessions();
        }

        @Override
        public void removeSession(String session) {
            neuron().remove(session, token);
        }

        @Override
        public GuestFiles files() {
            throw CortexException.of(ErrorCode.UNSUPPORTED, "the fake has no files", "");
        }

        @Override
        public FrameChannel data() {
            return neuron().open(token);
        }

        @Override
        public FrameChannel forward(int port) {
            throw CortexException.of(ErrorCode.NOT_READY, "nothing listens in a fake", "");
        }

        @Override
        public GuestEvents events() {
            CountDownLatch broken = neuron().brokenUnasked();
            return new GuestEvents() {
                @Override
                public Optional<GuestEvent> next() {
                    await(broken);
                    return Optional.empty();
                }

                @Override
                public void refuse(long number, CortexException why) {
                    throw new IllegalStateException("the fake asks for nothing");
                }

                @Override
                public void close() {
                    // Nothing is open.
                }
            };
        }

        @Override
        public GuestTunnel tunnel(long number) {
            throw CortexException.of(ErrorCode.UNSUPPORTED, "the fake asks its host for nothing", "");
        }

        @Override
        public void awaitLost() {
            await(neuron().brokenUnasked());
        }

        private void await(CountDownLatch broken) {
            try {
                while (closed.getCount() > 0 && !broken.await(10, TimeUnit.MILLISECONDS)) {
                    Thread.onSpinWait();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void shutdown(Duration grace) {
            neuron().info(token);
        }

        @Override
        public void standsStill() {}

        @Override
        public void goesOn() {}

        @Override
        public void close() {
            closed.countDown();
        }
    }
}
