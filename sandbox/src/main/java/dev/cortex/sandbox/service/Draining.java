package dev.cortex.sandbox.service;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.protocol.wire.Frame;
import dev.cortex.protocol.wire.FrameChannel;
import dev.cortex.sandbox.guest.Guest;
import dev.cortex.sandbox.guest.SessionStatus;
import dev.cortex.sandbox.store.SandboxRow;
import dev.cortex.sandbox.store.SessionArchive;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

/**
 * Ends the sessions of a sandbox that is about to stop, and brings their statuses and rings to the host; of one that is
 * about to stand still it keeps a copy and ends nothing. All of it is
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
            save(row, guest, true);
            return true;
        } catch (CortexException | IOException e) {
            LOG.log(System.Logger.Level.INFO, row.name() + ": not every session could be saved: " + e.getMessage());
            return false;
        }
    }

    /**
     * Brings statuses and rings to the host and lets the sessions run: for a sandbox that is about to stand still.
     *
     * @throws CortexException GUEST_LOST when its neuron does not answer, DRIVER_FAILED when it cannot be kept
     */
    void keep(SandboxRow row) {
        Guest guest = guests.of(row);
        try {
            settle(row, guest.sessions());
            save(row, guest, false);
        } catch (IOException e) {
            throw CortexException.of(
                            ErrorCode.DRIVER_FAILED,
                            "what the sessions of " + row.name() + " have said cannot be kept",
                            "look at the free space of " + folders.sandbox(row.id()))
                    .because(e);
        }
    }

    /** What was kept of sessions that no neuron holds any more: how they ended nobody knows. */
    void settle(SandboxRow row) {
        try {
            settle(row, List.of());
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, row.name() + ": its kept sessions cannot be read", e);
        }
    }

    /**
     * What is left to say of the sessions of a sandbox that was lost. What the host has of their output from an earlier
     * pause stays.
     */
    void lost(SandboxRow row, List<SessionStatus> seen) {
        Path folder = folders.sandbox(row.id());
        try {
            Map<String, SessionStatus> before =
                    archive.sessions(folder).stream().collect(Collectors.toMap(SessionStatus::id, status -> status));
            archive.save(
                    folder,
                    seen.stream()
                            .map(last -> Optional.ofNullable(before.get(last.id()))
                                    .filter(kept -> kept.newest() > kept.oldest())
                                    .map(kept -> kept.cause().isPresent() ? kept : withEnd(kept, last))
                                    .orElse(last))
                            .toList());
            settle(row, List.of());
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, row.name() + ": what was known of its sessions is lost", e);
        }
    }

    private static SessionStatus withEnd(SessionStatus kept, SessionStatus last) {
        return new SessionStatus(
                kept.id(),
                kept.pid(),
                kept.argv(),
                kept.user(),
                kept.terminal(),
                kept.background(),
                kept.label(),
                kept.started(),
                last.ended(),
                last.cause(),
                last.code(),
                kept.oldest(),
                kept.newest(),
                kept.evicted(),
                false,
                0,
                last.descendantsLeft());
    }

    private void settle(SandboxRow row, List<SessionStatus> live) throws IOException {
        Set<String> held = live.stream().map(SessionStatus::id).collect(Collectors.toSet());
        Path folder = folders.sandbox(row.id());
        List<SessionStatus> over = archive.sessions(folder).stream()
                .filter(s -> s.cause().isEmpty() && !held.contains(s.id()))
                .map(s -> s.endedUnseen(clock.instant()))
                .toList();
        if (!over.isEmpty()) {
            archive.save(folder, over);
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

    /** @param over what still runs ends with its sandbox */
    private void save(SandboxRow row, Guest guest, boolean over) throws IOException {
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
            SessionStatus kept = session.kept(span.oldest(), span.newest());
            saved.add(over && kept.cause().isEmpty() ? kept.endedUnseen(clock.instant()) : kept);
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
            if (!archive.hasOutput(folder, session.id())) {
                // As on a full disk. A reader is told of the gap.
                return new Span(session.newest(), session.newest());
            }
        }
        return new Span(oldest, at);
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
