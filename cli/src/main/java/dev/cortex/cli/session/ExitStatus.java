package dev.cortex.cli.session;

import dev.cortex.protocol.wire.Frame;

/**
 * How a session ended, as a shell says it.
 *
 * @param cause word of the API
 * @param status what we exit with
 */
public record ExitStatus(String cause, int status) {
    /** Cortex failed, or nobody knows the result. */
    public static final int CORTEX_FAILED = 125;

    /** 128 + SIGINT. */
    public static final int INTERRUPTED = 130;

    /** 128 + SIGHUP. */
    public static final int HUNG_UP = 129;

    /** 128 + SIGTERM. */
    public static final int TERMINATED = 143;

    /** 128 + SIGPIPE. */
    public static final int BROKEN_PIPE = 141;

    private static final int SIGNAL_BASE = 128;
    private static final int KILL = 9;

    static ExitStatus of(Frame.Exit exit) {
        return switch (exit.cause()) {
            case 1 -> new ExitStatus("exited", exit.code() & 0xff);
            case 2 -> new ExitStatus("signaled", SIGNAL_BASE + exit.code());
            case 3 -> new ExitStatus("timeout", 124);
            case 4 -> new ExitStatus("not_found", 127);
            case 5 -> new ExitStatus("not_executable", 126);
            case 6 -> new ExitStatus("out_of_memory", SIGNAL_BASE + KILL);
            case 7 -> new ExitStatus("removed", SIGNAL_BASE + KILL);
            default -> new ExitStatus("unknown", CORTEX_FAILED);
        };
    }

    /** What a person is told besides the status; empty where the session's own output has said it. */
    String words() {
        return switch (cause) {
            case "timeout" -> "killed at its timeout, with all its children";
            case "out_of_memory" -> "killed: out of memory (a sandbox may get more: --memory)";
            case "removed" -> "killed: the session or its sandbox was removed or stopped";
            case "unknown" -> "nobody saw how it ended, the result is unknown";
            default -> "";
        };
    }
}
