package dev.cortex.storage;

import dev.cortex.sandbox.SandboxId;
import dev.cortex.sandbox.store.DiskRow;
import dev.cortex.sandbox.store.SandboxRow;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Rows that were read and have not been written since: the owner of a home is the only one who writes them, and reads the
 * same few again with every call. Rows are remembered and forgotten under the store's lock alone, forgotten before
 * anything is written; whoever asks meanwhile finds none, and waits for the lock. Asking needs no lock.
 */
final class KnownRows {
    private final Map<String, SandboxRow> sandboxes = new ConcurrentHashMap<>();
    private final Map<String, SandboxRow> byName = new ConcurrentHashMap<>();
    private final Map<String, DiskRow> disks = new ConcurrentHashMap<>();

    Optional<SandboxRow> sandbox(String id) {
        return Optional.ofNullable(sandboxes.get(id));
    }

    Optional<SandboxRow> sandboxNamed(String name) {
        return Optional.ofNullable(byName.get(name));
    }

    Optional<DiskRow> disk(String name) {
        return Optional.ofNullable(disks.get(name));
    }

    void remember(SandboxRow row) {
        sandboxes.put(row.id().value(), row);
        byName.put(row.name(), row);
    }

    void remember(DiskRow disk) {
        disks.put(disk.name(), disk);
    }

    void forget(SandboxId id) {
        SandboxRow gone = sandboxes.remove(id.value());
        if (gone != null) {
            byName.remove(gone.name(), gone);
        }
    }

    void forgetDisk(String name) {
        disks.remove(name);
    }
}
