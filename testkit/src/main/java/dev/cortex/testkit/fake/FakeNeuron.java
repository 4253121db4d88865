package dev.cortex.testkit.fake;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.protocol.wire.FrameChannel;
import dev.cortex.sandbox.guest.GuestIdentity;
import dev.cortex.sandbox.guest.GuestInfo;
import dev.cortex.sandbox.guest.GuestToken;
import dev.cortex.sandbox.guest.SessionSpec;
import dev.cortex.sandbox.guest.SessionStatus;
import dev.cortex.testkit.fake.FakeMachine.Fault;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;

/** A scripted neuron. Thread-safe. */
public final class FakeNeuron {
    private final FakeMachine machine;
    private final Map<String, FakeSession> sessions = new LinkedHashMap<>();
    private final List<FakeChannel> channels = new ArrayList<>();
    private final AtomicReference<Optional<CountDownLatch>> holdUp = new AtomicReference<>(Optional.empty());
    private Optional<GuestIdentity> identity = Optional.empty();
    private CountDownLatch broken = new CountDownLatch(1);
    private boolean dead;
    private boolean frozen;
    private int started;

    FakeNeuron(FakeMachine machine) {
        this.machine = machine;
    }

    public synchronized Optional<GuestIdentity> identity() {
        return identity;
    }

    /** Has the next question for its sessions wait until the latch is open. */
    public void holdUpNextList(CountDownLatch until) {
        holdUp.set(Optional.of(until));
    }

    void awaitTurn() {
        holdUp.getAndSet(Optional.empty()).ifPresent(until -> {
            try {
                until.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    /** How many processes were really started. */
    public synchronized int started() {
        return started;
    }

    public synchronized Optional<FakeSession> session(String id) {
        return Optional.ofNullable(sessions.get(id));
    }

    synchronized GuestInfo info(GuestToken token) {
        requireAlive();
        return new GuestInfo(
                "fake",
                identity.isPresent(),
                identity.isPresent() && !machine.failing(Fault.NEVER_READY),
                identity.map(GuestIdentity::generation).orElse(0L),
                1,
                2,
                3,
                4,
                5,
                sessions.size() + 1L,
                sessions.values().stream()
                        .filter(s -> s.status().cause().isEmpty())
                        .count(),
                started);
    }

    synchronized void initialize(GuestIdentity wanted) {
        requireAlive();
        machine.check(Fault.INITIALIZE, ErrorCode.INTERNAL);
        if (identity.isPresent() && !identity.get().token().equals(wanted.token())) {
            throw CortexException.of(ErrorCode.DENIED, "initialized with another token", "");
        }
        identity = Optional.of(wanted);
    }

    synchronized SessionStatus exec(SessionSpec spec, GuestToken token) {
        require(token);
        FakeSession present = sessions.get(spec.id());
        if (present == null) {
            present = new FakeSession(spec);
            sessions.put(spec.id(), present);
            started++;
        }
        return present.status();
    }

    FakeSession find(String id, GuestToken token) {
        synchronized (this) {
            require(token);
            FakeSession session = sessions.get(id);
            if (session == null) {
                throw CortexException.of(ErrorCode.NOT_FOUND, "no session " + id, "");
            }
            return session;
        }
    }

    synchronized List<SessionStatus> all(GuestToken token) {
        require(token);
        return sessions.values().stream().map(FakeSession::status).toList();
    }

    synchronized void remove(String id, GuestToken token) {
        find(id, token).end(SessionStatus.Cause.REMOVED, 9);
        sessions.remove(id);
    }

    synchronized FrameChannel open(GuestToken token) {
        require(token);
        FakeChannel channel = new FakeChannel(this, token);
        channels.add(channel);
        return channel;
    }

    synchronized CountDownLatch broken() {
        requireAlive();
        return broken;
    }

    /** As a stream that is open already: it ends with the process, whether that stands still or not. */
    synchronized CountDownLatch brokenUnasked() {
        return broken;
    }

    void die() {
        synchronized (this) {
            dead = true;
            notifyAll();
        }
        breakStreams();
    }

    void breakStreams() {
        List<FakeChannel> open;
        synchronized (this) {
            open = List.copyOf(channels);
            channels.clear();
            broken.countDown();
            broken = new CountDownLatch(1);
        }
        open.forEach(FakeChannel::breakOff);
    }

    private void require(GuestToken token) {
        requireAlive();
        if (identity.isEmpty() || !identity.get().token().equals(token)) {
            throw CortexException.of(ErrorCode.UNAUTHENTICATED, "the token is refused", "");
        }
    }

    synchronized void freeze(boolean still) {
        frozen = still;
        notifyAll();
    }

    synchronized boolean frozen() {
        return frozen;
    }

    /** One that stands still answers when it goes on. */
    private synchronized void requireAlive() {
        try {
            while (frozen && !dead) {
                wait();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw CortexException.of(ErrorCode.CANCELLED, "interrupted", "");
        }
        if (dead) {
            throw CortexException.of(ErrorCode.GUEST_LOST, "the neuron is gone", "");
        }
    }
}
