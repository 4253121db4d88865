package dev.cortex.sandbox.guest;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A process to start.
 *
 * @param id minted by the host; the same id twice is one process
 * @param argv bytes, each at most {@link #ARGUMENT_BYTES}, no NUL
 * @param environment {@code KEY=value}, over the sandbox's
 * @param workdir empty: the default
 * @param user empty: the default
 * @param timeout wall clock; absent: none
 */
public record SessionSpec(
        String id,
        List<byte[]> argv,
        List<byte[]> environment,
        byte[] workdir,
        String user,
        Optional<Terminal> terminal,
        boolean stdin,
        boolean claim,
        Optional<Duration> timeout,
        boolean background,
        String label) {
    /** The kernel's MAX_ARG_STRLEN is 32 pages, the closing NUL included. */
    public static final int ARGUMENT_BYTES = 131_071;

    /** All of argv and environment: what the kernel takes by default (a quarter of an 8 MiB stack). */
    public static final int TOTAL_BYTES = 2 << 20;

    public SessionSpec {
        argv = List.copyOf(argv);
        environment = List.copyOf(environment);
    }

    public record Terminal(String term, int rows, int columns) {}
}
