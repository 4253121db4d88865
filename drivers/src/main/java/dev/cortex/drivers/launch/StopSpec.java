package dev.cortex.drivers.launch;

import java.util.Optional;

/**
 * Names everything that a start may have made. Needs no answer of that start: without the identity of the first
 * process, stop goes by the group, the mark and the runtime's state.
 *
 * @param pid of the first process, with {@code startTime} and {@code bootId}, or 0
 * @param mark 0 for none
 * @param bundle removed with all that is in it
 * @param deadlineMillis how long processes are waited for
 */
public record StopSpec(
        int version,
        String id,
        RuntimeProgram runtime,
        int pid,
        long startTime,
        String bootId,
        Optional<String> cgroupName,
        long mark,
        Optional<IdMapping> rootless,
        Optional<String> socket,
        Optional<String> shared,
        Optional<String> pidFile,
        Optional<String> bundle,
        long deadlineMillis) {}
