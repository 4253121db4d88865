package dev.cortex.sandbox.store;

import java.time.Instant;
import java.util.Optional;

/**
 * One life of a sandbox: from a start to its end.
 *
 * @param boot id of the machine's boot under which it was started; empty before the first
 * @param since when its time began to count: at its start, and again at each resume
 */
public record Life(String boot, Optional<Instant> since) {
    public static final Life NONE = new Life("", Optional.empty());
}
