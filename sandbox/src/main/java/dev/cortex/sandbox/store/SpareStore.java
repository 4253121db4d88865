package dev.cortex.sandbox.store;

import dev.cortex.sandbox.SandboxId;
import java.util.List;

/**
 * Sandboxes that were started ahead. No list of sandboxes shows them. Each method is one transaction, durable against
 * kill -9 when it returns. Thread-safe.
 */
public interface SpareStore {
    /** Adds one and gives it the lowest slot that neither a spare nor a sandbox has. */
    SpareRow insert(SpareRow row);

    void update(SpareRow row);

    void remove(SandboxId id);

    /** All that can be read, the oldest first. */
    List<SpareRow> all();

    /**
     * Turns a spare into a sandbox: its row goes, and in its place come the record with its slot, its disk's row and the
     * intent of its creation. All of it happens or nothing.
     *
     * @param row with the spare's id
     * @throws dev.cortex.protocol.error.CortexException ALREADY_EXISTS when the name is taken, NOT_FOUND without that spare
     */
    SandboxRow claim(SandboxRow row, DiskRow disk, Intent intent);
}
