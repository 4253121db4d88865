package dev.cortex.sandbox.event;

import dev.cortex.sandbox.SandboxId;
import java.time.Instant;
import java.util.Optional;

/**
 * One thing that happened.
 *
 * @param sequence rises by one with each event of this process
 * @param kind dotted, such as {@code sandbox.running} or {@code session.ended}
 * @param sandbox whose it is; empty for {@link #GAP}
 * @param name of the sandbox, empty for {@link #GAP}
 */
public record SandboxEvent(
        long sequence,
        Instant at,
        String kind,
        Optional<SandboxId> sandbox,
        String name,
        Optional<String> session,
        String detail) {

    /** A sandbox that an earlier process started was found running. */
    public static final String REATTACHED = "sandbox.reattached";

    /** What is ambiguous was kept. */
    public static final String UNCERTAIN = "sandbox.uncertain";

    /** The kind that stands for events which a slow subscriber has lost; {@code detail} says how many. */
    public static final String GAP = "events.gap";
}
