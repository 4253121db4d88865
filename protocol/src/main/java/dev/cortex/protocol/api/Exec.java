package dev.cortex.protocol.api;

import java.util.Optional;

/** Exec to the end in one call. */
public final class Exec {
    private Exec() {}

    /**
     * @param session what to run; its terminal, stdin and claim are ignored
     * @param stdin given to the process before its end of file; at most 1 MiB
     * @param stdinB64 the same byte for byte, in base64
     */
    public record Request(StartSession session, Optional<String> stdin, Optional<String> stdinB64) {}

    /**
     * @param status as a shell would say it; absent when {@code cause} is unknown
     * @param stdout the first 1 MiB; absent where it is not UTF-8, then {@code stdoutB64} has it
     * @param truncated more came than is shown: the rest is in the session's ring
     * @param session its id
     */
    public record Result(
            String session,
            String cause,
            Optional<Integer> status,
            Optional<String> stdout,
            Optional<String> stdoutB64,
            Optional<String> stderr,
            Optional<String> stderrB64,
            boolean truncated,
            long durationMs) {}
}
