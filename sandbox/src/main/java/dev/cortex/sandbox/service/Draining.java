package dev.cortex.sandbox.service;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.wire.Frame;
import dev.cortex.protocol.wire.FrameChannel;
import dev.cortex.sandbox.guest.Guest;
import dev.cortex.sandbox.guest.SessionStatus;
import dev.cortex.sandbox.guest.SessionStatus.Cause;
import dev.cortex.sandbox.store.SandboxRow;
import dev.cortex.sandbox.store.SessionArchive;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/**
 * Ends the sessions of a sandbox that is about to stop, and brings their statuses and rings to the host. All of it is
 * hostile input: bytes and time are bounded, whatever the guest says.
 */
final class Draining {
    private static final System.Logger LOG = System.getLogger("dev.cortex.sandbox");

    private static final int SIGHUP = 1;
    private static final int SIGKILL = 9;
    private static final int SIGTERM = 15;

    /** All rings of a sandbox hold at most this (DESIGN section 6); so does what is kept of them. */
    private static final long MOST_BYTES = 64L << 20;

    private static final Duration MOST_TIME = Duration.ofSeconds(30);

    /** A killed process is reaped in milliseconds. */
    private static final Duration KILLED = Duration.ofSeconds(2);

    private final SessionArchive archive;
    private final Folders folders;
    private final Guests guests;
    private final Clock clock;
    private final ScheduledExecutorService timer;

    Draining(SessionArchive archive, Folders folders, Guests guests, Clock clock, ScheduledExecutorService timer) {
        this.archive = archive;
        this.folders = folders;
        this.guests = guests;
        this.clock = clock;
        this.timer = timer;
    }

    /**
     * Never fails: a guest that does not answer has nothing to be drained.
     *
     * @return whether it answered
     */
    boolean drain(SandboxRow row, Duration grace) {
        try {
            Guest guest = guests.of(row);
            end(guest, guest.sessions(), grace);
            save(row, guest);
            return true;
        } catch (CortexException | IOException e) {
            LOG.log(System.Logger.Level.INFO, row.name() + ": not every session could be saved: " + e.getMessage());
            return false;
        }
    }

    private static void end(Guest guest, List<SessionStatus> sessions, Duration grace) {
        List<SessionStatus> running =
                sessions.stream().filter(s -> s.cause().isEmpty()).toList();
        if (running.isEmpty()) {
            return;
        }
        for (SessionStatus session : running) {
            signal(guest, session, SIGTERM);
            if (session.terminal()) {
                // An interactive shell ignores TERM; the end of its terminal it believes.
                signal(guest, session, SIGHUP);
            }
        }
        List<SessionStatus> left = awaitEnd(guest, running, grace);
        left.forEach(session -> signal(guest, session, SIGKILL));
        awaitEnd(guest, left, KILLED);
    }

    private static List<SessionStatus> awaitEnd(Guest guest, List<SessionStatus> sessions, Duration most) {
        long deadline = System.nanoTime() + most.toNanos();
        List<SessionStatus> left = new ArrayList<>();
        for (SessionStatus session : sessions) {
            Duration rest = Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
            try {
                if (guest.status(session.id(), rest).cause().isEmpty()) {
                    left.add(session);
                }
            } catch (CortexException e) {
                left.add(session);
            }
        }
        return left;
    }

    private static void signal(Guest guest, SessionStatus session, int signal) {
        try {
            guest.signal(session.id(), signal, true);
        } catch (CortexException e) {
            // It ended by itself just now; if it did not, it is killed with its sandbox.
            LOG.log(System.Logger.Level.DEBUG, session.id() + ": " + e.getMessage());
        }
    }

    private void save(SandboxRow row, Guest guest) throws IOException {
        Path folder = folders.sandbox(row.id());
        AtomicLong budget = new AtomicLong(MOST_BYTES);
        long deadline = System.nanoTime() + MOST_TIME.toNanos();
        List<SessionStatus> saved = new ArrayList<>();
        // Newest first: if the budget does not hold for all, it is the old output that goes.
        for (SessionStatus session : guest.sessions().reversed()) {
            Span span = new Span(session.newest(), session.newest());
            if (!session.evicted() && session.newest() > session.oldest() && System.nanoTime() < deadline) {
                span = copy(guest, session, folder, budget, deadline);
            }
            saved.add(archived(session, span));
        }
        archive.save(folder, saved.reversed());
    }

    /** Copies what the ring holds, at most {@code budget}. */
    private Span copy(Guest guest, SessionStatus session, Path folder, AtomicLong budget, long deadline) {
        long oldest = session.newest();
        long at = oldest;
        try (FrameChannel channel = guest.data();
                SessionArchive.Output output = archive.write(folder, session.id())) {
            // A read cannot be given a time limit, but closing its channel ends it.
            ScheduledFuture<?> alarm = timer.schedule(
                    () -> close(channel), Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
            try {
                channel.write(
                        new Frame.Handshake(Frame.Kind.ATTACH, Frame.Mode.OBSERVE, session.oldest(), session.id()));
                oldest = session.oldest();
                at = oldest;
                for (Optional<Frame> next = channel.read(); next.isPresent(); next = channel.read()) {
                    switch (next.get()) {
                        case Frame.Gap gap -> {
                            if (at != oldest) {
                                // One cursor says where the file's bytes begin: they must be of one piece.
                                return new Span(oldest, at);
                            }
                            at = gap.cursor();
                            oldest = at;
                        }
                        case Frame.Data data -> {
                            int bytes = data.bytes().remaining();
                            if (budget.addAndGet(-bytes) < 0) {
                                return new Span(oldest, at);
                            }
                            output.append(data.tag(), data.bytes());
                            at += bytes;
                        }
                        case Frame.Exit exit -> {
                            return new Span(oldest, at);
                        }
                        case Frame.Error error -> {
                            return new Span(oldest, at);
                        }
                        default -> {}
                    }
                    if (session.cause().isEmpty() && at >= session.newest()) {
                        return new Span(oldest, at);
                    }
                }
            } finally {
                alarm.cancel(false);
            }
        } catch (CortexException | IOException e) {
            LOG.log(System.Logger.Level.INFO, session.id() + ": its output was cut off: " + e.getMessage());
        }
        return new Span(oldest, at);
    }

    private SessionStatus archived(SessionStatus s, Span span) {
        boolean ended = s.cause().isPresent();
        return new SessionStatus(
                s.id(),
                s.pid(),
                s.argv(),
                s.user(),
                s.terminal(),
                s.background(),
                s.label(),
                s.started(),
                Stream.of(s.ended(), Optional.of(clock.instant()))
                        .flatMap(Optional::stream)
                        .findFirst(),
                ended ? s.cause() : Optional.of(Cause.UNKNOWN),
                s.code(),
                span.oldest(),
                span.newest(),
                s.evicted(),
                false,
                0,
                s.descendantsLeft());
    }

    private static void close(FrameChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "closing a data stream", e);
        }
    }

    private record Span(long oldest, long newest) {}
}
