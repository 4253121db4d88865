package dev.cortex.sandbox.store;

import dev.cortex.sandbox.SandboxId;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * The home's durable memory. Each method is one transaction, durable against kill -9 when it returns. Thread-safe.
 * A row that cannot be read is reported by {@link #damaged} and never hides the others.
 */
public interface SandboxStore extends AutoCloseable {
    /** The home's own id, made at its first opening. */
    UUID homeId();

    /**
     * Adds a record with the intent of its creation; gives it the lowest free slot.
     *
     * @throws dev.cortex.protocol.error.CortexException ALREADY_EXISTS when the name is taken
     */
    SandboxRow insert(SandboxRow row, Intent intent);

    Optional<SandboxRow> find(SandboxId id);

    Optional<SandboxRow> findByName(String name);

    /** The one that a create with that idempotency key made. */
    Optional<SandboxRow> findByCreateKey(String key);

    /** All, by name; a page of at most {@code most} behind {@code after} (empty: from the first). */
    List<SandboxRow> list(String after, int most);

    /** How many records there are, readable or not. */
    int count();

    /** Replaces the row; its intent, if there is one, goes on. */
    void update(SandboxRow row);

    /** Writes an intent in the place of one that there may be. */
    void begin(Intent intent);

    /** Replaces the row and ends its intent, together. */
    void complete(SandboxRow row);

    /** Removes record and intent together; the disk's row stays unless {@code forgetDisk}. */
    void remove(SandboxId id, boolean forgetDisk);

    Optional<Intent> intent(SandboxId id);

    List<Intent> intents();

    Optional<DiskRow> disk(String name);

    void saveDisk(DiskRow disk);

    void forgetDisk(String name);

    List<DiskRow> disks();

    /** Sandboxes that were started ahead, in the same database. */
    SpareStore spares();

    /** Ids of rows that could not be read, each with the reason. */
    List<String> damaged();

    @Override
    void close();
}
