package dev.cortex.sandbox.store;

import dev.cortex.sandbox.SandboxId;
import java.time.Instant;

/** Written before the first outside resource of an operation is made, ended with its outcome. At most one a sandbox. */
public record Intent(SandboxId sandbox, Kind kind, Instant since) {
    public enum Kind {
        CREATE,
        START,
        STOP,
        PAUSE,
        RESUME,
        /** Clear away what is left of one whose processes are gone. */
        LOSE,
        /** Start again what a boot of the machine ended. */
        RESTART,
        REMOVE,
        /** Remove, and delete its disk although it has a name. */
        WIPE
    }
}
