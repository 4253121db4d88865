package dev.cortex.sandbox.driver;

import dev.cortex.protocol.api.ApplyWorkspace;
import dev.cortex.protocol.api.WorkspaceApplied;
import dev.cortex.protocol.api.WorkspaceChanges;
import dev.cortex.sandbox.SandboxId;
import java.nio.file.Path;
import java.util.List;

/**
 * A driver on whose disks a folder of the host can be copied, to the place of the default working directory, compared and
 * brought back. Everything but the copy works on sandboxes in any state: the disk alone is looked at. What a sandbox left there is hostile: no link of it is
 * followed, and no program runs on it.
 */
public interface WorkspaceKeeping {
    /**
     * Copies a folder to a disk that nothing uses, with what it was beside it. Made by that sandbox before: nothing is
     * done. What a call that was cut off has left is made anew.
     *
     * @throws dev.cortex.protocol.error.CortexException ALREADY_EXISTS when the disk has another's, NOT_FOUND, NOT_READY,
     *     INVALID_ARGUMENT, DISK_FULL
     */
    void takeWorkspace(Path disk, SandboxId sandbox, Path folder);

    /** Takes {@link #takeWorkspace} back, where that sandbox made it. */
    void dropWorkspace(Path disk, SandboxId sandbox);

    /**
     * @param paths only these and what lies beneath them; empty: everything
     * @throws dev.cortex.protocol.error.CortexException NOT_FOUND without a workspace
     */
    WorkspaceChanges workspaceChanges(Path disk, List<String> paths);

    /** Writes the changes to a new file, as a patch that git takes. */
    void workspacePatch(Path disk, List<String> paths, Path to);

    /**
     * Brings changes back to the folder that was copied: all of them or none.
     *
     * @throws dev.cortex.protocol.error.CortexException DENIED for what the host would run, BUSY, NOT_FOUND, UNSUPPORTED
     */
    WorkspaceApplied applyWorkspace(Path disk, ApplyWorkspace request);
}
