package dev.cortex.sandbox.session;

import dev.cortex.sandbox.guest.SessionStatus.Cause;
import java.util.Optional;

/** An end as a shell would say it (POSIX 2.8.2; 124 as timeout(1)). */
public final class ShellStatus {
    private static final int SIGNALED = 128;
    private static final int TIMEOUT = 124;

    private ShellStatus() {}

    /** Empty when nobody knows. */
    public static Optional<Integer> of(Cause cause, int code) {
        return switch (cause) {
            case EXITED, NOT_FOUND, NOT_EXECUTABLE -> Optional.of(code & 0xff);
            case SIGNALED, OUT_OF_MEMORY, REMOVED -> Optional.of(SIGNALED + (code & 0x7f));
            case TIMEOUT -> Optional.of(TIMEOUT);
            case UNKNOWN -> Optional.empty();
        };
    }
}
