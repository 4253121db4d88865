package dev.cortex.sandbox.guest;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** A session as its neuron tells it. {@code cause} is absent while it runs. */
public record SessionStatus(
        String id,
        int pid,
        List<byte[]> argv,
        String user,
        boolean terminal,
        boolean background,
        String label,
        Instant started,
        Optional<Instant> ended,
        Optional<Cause> cause,
        int code,
        long oldest,
        long newest,
        boolean evicted,
        boolean held,
        int observers,
        long descendantsLeft) {

    public SessionStatus {
        argv = List.copyOf(argv);
    }

    /** As the host keeps it: that part of its output, and nobody attached. */
    public SessionStatus kept(long from, long to) {
        return new SessionStatus(
                id,
                pid,
                argv,
                user,
                terminal,
                background,
                label,
                started,
                ended,
                cause,
                code,
                from,
                to,
                evicted,
                false,
                0,
                descendantsLeft);
    }

    /** It is over, and how it ended nobody saw. */
    public SessionStatus endedUnseen(Instant now) {
        return new SessionStatus(
                id,
                pid,
                argv,
                user,
                terminal,
                background,
                label,
                started,
                Optional.of(now),
                Optional.of(Cause.UNKNOWN),
                code,
                oldest,
                newest,
                evicted,
                false,
                0,
                descendantsLeft);
    }

    /** Why a session ended; the wire numbers of {@code ExitCause}. */
    public enum Cause {
        EXITED(1),
        SIGNALED(2),
        TIMEOUT(3),
        NOT_FOUND(4),
        NOT_EXECUTABLE(5),
        OUT_OF_MEMORY(6),
        REMOVED(7),
        UNKNOWN(8);

        private final int wire;

        Cause(int wire) {
            this.wire = wire;
        }

        public int wire() {
            return wire;
        }

        /** A number that this version does not know is {@code UNKNOWN}. */
        public static Cause of(int wire) {
            for (Cause cause : values()) {
                if (cause.wire == wire) {
                    return cause;
                }
            }
            return UNKNOWN;
        }
    }
}
