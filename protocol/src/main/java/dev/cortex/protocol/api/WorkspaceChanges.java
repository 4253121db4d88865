package dev.cortex.protocol.api;

import java.util.List;
import java.util.Optional;

/**
 * What a sandbox changed in its copy of a folder, since it was made or last applied.
 *
 * @param folder that it is a copy of
 * @param files by path
 * @param skipped sockets, pipes and devices in the copy, which are never compared
 */
public record WorkspaceChanges(String folder, List<FileChange> files, long skipped) {
    public WorkspaceChanges {
        files = List.copyOf(files);
    }

    /**
     * @param path relative to the folder; {@code pathB64} where it is no UTF-8
     * @param change added, modified, deleted, replaced (a link by a file, or the other way round) or mode
     * @param oldMode as git has it, such as 100644; empty where there is nothing
     * @param added lines; 0 of binary files
     * @param risk why it is not applied unless asked for, empty for most
     */
    public record FileChange(
            Optional<String> path,
            Optional<String> pathB64,
            String change,
            String oldMode,
            String newMode,
            long added,
            long removed,
            boolean binary,
            String risk) {}
}
