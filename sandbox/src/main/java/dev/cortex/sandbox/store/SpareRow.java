package dev.cortex.sandbox.store;

import dev.cortex.sandbox.SandboxId;
import dev.cortex.sandbox.driver.Handle;
import java.time.Instant;
import java.util.Optional;

/**
 * A sandbox that was started ahead and is nobody's yet. Its id becomes that of the sandbox that it is handed out as.
 *
 * @param slot a small number, unique among spares and sandboxes; given by the store
 * @param build of the programs that it was made with
 * @param boot id of the machine's boot under which it was started
 * @param handle of its first process; absent while it is being made
 */
public record SpareRow(
        SandboxId id, int slot, SpareKind kind, String build, String boot, Optional<Handle> handle, Instant made) {

    /** One that is about to be made, which has no slot yet. */
    public static SpareRow begun(SandboxId id, SpareKind kind, String build, String boot, Instant now) {
        return new SpareRow(id, -1, kind, build, boot, Optional.empty(), now);
    }

    public SpareRow at(int newSlot) {
        return new SpareRow(id, newSlot, kind, build, boot, handle, made);
    }

    public SpareRow held(Handle newHandle) {
        return new SpareRow(id, slot, kind, build, boot, Optional.of(newHandle), made);
    }
}
