package dev.cortex.sandbox.driver;

import dev.cortex.sandbox.SandboxId;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * A driver that finds what exists outside under the names that it derives from ids, by looking and not by memory. What
 * it finds it can also {@link SandboxDriver#stop}, from the id alone.
 */
public interface Discovering {
    /**
     * Everything of this home's sandboxes, those that a record knows included. Changes nothing.
     *
     * @throws dev.cortex.protocol.error.CortexException when something could not be looked at: what was not seen is then
     *     not known to be absent
     */
    List<Trace> discover(Question question);

    /**
     * @param home the home's own id
     * @param run the home's run folder
     * @param folders whose mounts beneath an id belong to that sandbox
     * @param suspects ids of which something is known already: their processes are looked for by mark
     */
    record Question(UUID home, Path run, List<Path> folders, Set<SandboxId> suspects) {
        public Question {
            folders = List.copyOf(folders);
            suspects = Set.copyOf(suspects);
        }
    }

    /** @param what in words, such as {@code process 4121} */
    record Trace(SandboxId sandbox, String what) {}
}
