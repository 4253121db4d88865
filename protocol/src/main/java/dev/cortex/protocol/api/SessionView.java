package dev.cortex.protocol.api;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A session as every surface shows it.
 *
 * @param state running, exited or unknown
 * @param cause exited, signaled, timeout, not_found, not_executable, out_of_memory, removed, unknown; empty while it runs
 * @param status as a shell would say it: the exit status, 128+n for a signal, 124 timeout; absent while it runs or when unknown
 * @param oldest cursor of the first byte of output that is still kept
 * @param newest cursor behind the last byte
 */
public record SessionView(
        String id,
        String sandbox,
        String state,
        int pid,
        List<String> argv,
        List<String> argvB64,
        String user,
        boolean terminal,
        boolean background,
        String label,
        Instant startedAt,
        Optional<Instant> endedAt,
        String cause,
        Optional<Integer> status,
        Optional<Integer> signal,
        long oldest,
        long newest,
        boolean evicted,
        boolean held,
        int observers,
        long descendantsLeft) {}
