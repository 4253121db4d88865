package dev.cortex.protocol.api;

import java.util.Optional;

/**
 * How long a sandbox lives by itself.
 *
 * @param timeoutMs most of its life from each start on; absent: no end
 * @param idleTimeoutMs most of its life without activity; absent: no end
 * @param then what happens at the end of either: {@code stop} (default), {@code pause} or {@code remove}
 * @param restart {@code on-boot}: started again after the machine was; default {@code no}
 */
public record Lifetime(
        Optional<Long> timeoutMs, Optional<Long> idleTimeoutMs, Optional<String> then, Optional<String> restart) {}
