package dev.cortex.sandbox.session;

import dev.cortex.sandbox.guest.SessionStatus.Cause;
import java.time.Duration;
import java.util.Optional;

/**
 * What a session wrote, and how it ended.
 *
 * @param cause absent while it runs
 * @param code exit status or signal, as {@code cause} says
 * @param truncated more came than is here
 * @param duration from its start to its end, or to now
 */
public record Output(
        String session,
        Optional<Cause> cause,
        int code,
        byte[] stdout,
        byte[] stderr,
        boolean truncated,
        Duration duration) {}
