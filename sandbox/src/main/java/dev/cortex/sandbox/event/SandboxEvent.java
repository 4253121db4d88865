package dev.cortex.sandbox.event;

import dev.cortex.sandbox.SandboxId;
import java.time.Instant;
import java.util.Optional;

/**
 * One thing that happened.
 *
 * @param kind dotted, such as {@code sandbox.running} or {@code session.ended}
 */
public record SandboxEvent(
        long sequence, Instant at, String kind, SandboxId sandbox, String name, Optional<String> session, String detail) {}
