package dev.cortex.protocol.api;

import dev.cortex.protocol.api.WorkspaceChanges.FileChange;
import java.util.List;
import java.util.Optional;

/**
 * What came of bringing changes back: all of them or, with conflicts, none.
 *
 * @param files that were, or with check would be, applied
 * @param merged paths where changes of both sides came together
 * @param already how many are in the folder as they are in the sandbox
 * @param conflicts what stands in the way
 * @param done whether the folder, or the branch, was changed
 * @param branch that was made, empty without one
 * @param commit at its end
 * @param undone an earlier apply that was cut off was taken back first
 */
public record WorkspaceApplied(
        String folder,
        List<FileChange> files,
        List<String> merged,
        long already,
        List<Conflict> conflicts,
        boolean done,
        String branch,
        String commit,
        boolean undone) {
    public WorkspaceApplied {
        files = List.copyOf(files);
        merged = List.copyOf(merged);
        conflicts = List.copyOf(conflicts);
    }

    /** @param path relative to the folder; {@code pathB64} where it is no UTF-8 */
    public record Conflict(Optional<String> path, Optional<String> pathB64, String reason) {}
}
