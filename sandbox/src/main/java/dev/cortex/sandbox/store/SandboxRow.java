package dev.cortex.sandbox.store;

import dev.cortex.sandbox.Limits;
import dev.cortex.sandbox.SandboxId;
import dev.cortex.sandbox.State;
import dev.cortex.sandbox.driver.Handle;
import dev.cortex.sandbox.guest.GuestToken;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * The persisted shape of a sandbox.
 *
 * @param version of this shape
 * @param slot given by the store
 * @param reason why it is in its state, in words
 * @param primary id of the primary session, empty without one
 */
public record SandboxRow(
        int version,
        SandboxId id,
        String name,
        int slot,
        State state,
        String reason,
        String driver,
        String runtime,
        String image,
        String digest,
        Limits limits,
        Map<String, String> environment,
        Map<String, String> labels,
        String user,
        String workdir,
        boolean removeOnExit,
        String primary,
        String disk,
        Optional<Handle> handle,
        GuestToken token,
        long generation,
        Instant created,
        Optional<Instant> started,
        Optional<Instant> stopped) {

    /** The shape that this version writes. */
    public static final int VERSION = 1;

    public SandboxRow {
        environment = Map.copyOf(environment);
        labels = Map.copyOf(labels);
    }
}
