package dev.cortex.protocol.api;

import java.util.List;
import java.util.Optional;

/**
 * Asks for a workspace's changes to be brought back to its folder: all of them or none.
 *
 * @param check say what would happen, and change nothing
 * @param branch make a commit on a new branch of that name instead of changing the work tree
 * @param message of that commit
 * @param allowHooks also what the machine would run by itself, and links out of the folder
 * @param paths only these and what lies beneath them; empty: everything
 */
public record ApplyWorkspace(
        Optional<Boolean> check,
        Optional<String> branch,
        Optional<String> message,
        Optional<Boolean> allowHooks,
        List<String> paths) {
    public ApplyWorkspace {
        paths = List.copyOf(paths);
    }
}
