package dev.cortex.sandbox.session;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.protocol.error.GuestError;
import dev.cortex.protocol.wire.Frame;
import dev.cortex.protocol.wire.FrameChannel;
import dev.cortex.sandbox.guest.Guest;
import dev.cortex.sandbox.guest.SessionStatus;
import dev.cortex.sandbox.guest.SessionStatus.Cause;
import dev.cortex.sandbox.store.SessionArchive;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Reads a session's output into memory: to its end, or what there is now. */
public final class OutputReader {
    /** A stream that breaks so often does not break by accident. */
    private static final int ATTEMPTS = 5;

    private static final int NO_CODE = 0;

    private OutputReader() {}

    /**
     * Feeds {@code stdin} to a session that was just started and reads to its end. A broken stream is dialled again and
     * goes on where it was; when that fails too the cause is unknown, never an exit status.
     */
    public static Output toTheEnd(Guest guest, String session, byte[] stdin, boolean hasStdin) {
        long begun = System.nanoTime();
        CappedOutput output = new CappedOutput(0);
        Frame.Mode mode = Frame.Mode.HOLD;
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            try (FrameChannel data = guest.data()) {
                data.write(new Frame.Handshake(Frame.Kind.ATTACH, mode, output.cursor(), session));
                Optional<Frame.Exit> exit = follow(data, output, stdin, hasStdin);
                if (exit.isPresent()) {
                    return output(
                            session,
                            output,
                            Optional.of(Cause.of(exit.get().cause())),
                            exit.get().code(),
                            since(begun));
                }
            } catch (IOException e) {
                requireNotInterrupted();
            } catch (CortexException e) {
                requireNotInterrupted();
                if (e.code() != ErrorCode.GUEST_LOST) {
                    throw e;
                }
            }
            mode = Frame.Mode.TAKE_OVER;
        }
        return output(session, output, Optional.of(Cause.UNKNOWN), NO_CODE, since(begun));
    }

    /** What the neuron's ring holds from {@code from} on; does not wait for more. */
    public static Output now(Guest guest, SessionStatus session, long from) {
        CappedOutput output = new CappedOutput(from);
        try (FrameChannel data = guest.data()) {
            data.write(new Frame.Handshake(Frame.Kind.ATTACH, Frame.Mode.OBSERVE, from, session.id()));
            long newest = Long.MAX_VALUE;
            while (Long.compareUnsigned(output.cursor(), newest) < 0) {
                Frame frame = data.read().orElseThrow(() -> lost(session.id()));
                switch (frame) {
                    case Frame.HandshakeAck ack -> newest = ack.alive() ? ack.newest() : Long.MAX_VALUE;
                    case Frame.Gap gap -> output.gap(gap.cursor());
                    case Frame.Data bytes -> output.take(bytes.tag(), bytes.bytes());
                    case Frame.Exit exit -> {
                        return output(
                                session.id(),
                                output,
                                Optional.of(Cause.of(exit.cause())),
                                exit.code(),
                                lasted(session));
                    }
                    case Frame.Error error -> throw told(error);
                    default -> {}
                }
            }
            return output(session.id(), output, Optional.empty(), NO_CODE, lasted(session));
        } catch (IOException e) {
            throw lost(session.id()).because(e);
        }
    }

    /** What the host has kept. */
    public static Output archived(SessionArchive archive, Path folder, SessionStatus session, long from) {
        if (Long.compareUnsigned(from, session.newest()) > 0) {
            throw ahead(session.newest());
        }
        CappedOutput output = new CappedOutput(from);
        if (from < session.oldest()) {
            output.gap(session.oldest());
        }
        long[] skip = {Math.max(0, from - session.oldest())};
        try {
            archive.read(folder, session.id(), (tag, bytes) -> {
                int passed = (int) Math.min(skip[0], bytes.remaining());
                skip[0] -= passed;
                bytes.position(bytes.position() + passed);
                output.take(tag, bytes);
                return true;
            });
        } catch (IOException e) {
            throw CortexException.of(ErrorCode.INTERNAL, "the kept output cannot be read", "see daemon.log")
                    .because(e);
        }
        return output(session.id(), output, session.cause(), session.code(), lasted(session));
    }

    private static Optional<Frame.Exit> follow(FrameChannel data, CappedOutput output, byte[] stdin, boolean hasStdin)
            throws IOException {
        for (Optional<Frame> next = data.read(); next.isPresent(); next = data.read()) {
            switch (next.get()) {
                case Frame.HandshakeAck ack -> {
                    if (hasStdin && ack.alive()) {
                        Thread.ofVirtual().name("stdin").start(() -> feed(data, stdin, ack.stdinAccepted()));
                    }
                }
                case Frame.Gap gap -> output.gap(gap.cursor());
                case Frame.Data bytes -> output.take(bytes.tag(), bytes.bytes());
                case Frame.Exit exit -> {
                    return Optional.of(exit);
                }
                case Frame.Error error -> throw told(error);
                default -> {}
            }
        }
        return Optional.empty();
    }

    private static void feed(FrameChannel data, byte[] stdin, long accepted) {
        try {
            for (int at = (int) Math.min(stdin.length, Math.max(0, accepted));
                    at < stdin.length;
                    at += Frame.DATA_BYTES) {
                ByteBuffer piece = ByteBuffer.wrap(stdin, at, Math.min(Frame.DATA_BYTES, stdin.length - at));
                data.write(new Frame.Data(Frame.Tag.STDIN, piece));
            }
            data.write(new Frame.StdinClose());
        } catch (IOException e) {
            // The reader of this stream sees its end, and tells.
            return;
        }
    }

    private static Output output(
            String session, CappedOutput output, Optional<Cause> cause, int code, Duration duration) {
        return new Output(session, cause, code, output.stdout(), output.stderr(), output.truncated(), duration);
    }

    private static void requireNotInterrupted() {
        if (Thread.currentThread().isInterrupted()) {
            throw CortexException.of(ErrorCode.CANCELLED, "cancelled; the session goes on", "");
        }
    }

    private static CortexException told(Frame.Error error) {
        return GuestError.of(error.code(), error.message(), "");
    }

    private static CortexException lost(String session) {
        return CortexException.of(
                ErrorCode.GUEST_LOST, "the stream to " + session + " broke", "try again; the session goes on");
    }

    private static CortexException ahead(long newest) {
        return CortexException.of(
                ErrorCode.INVALID_ARGUMENT, "the cursor is ahead of the newest byte, " + newest, "leave it out");
    }

    private static Duration since(long nanoTime) {
        return Duration.ofNanos(System.nanoTime() - nanoTime);
    }

    private static Duration lasted(SessionStatus session) {
        Duration lasted = Duration.between(session.started(), session.ended().orElseGet(Instant::now));
        return lasted.isNegative() ? Duration.ZERO : lasted;
    }
}
