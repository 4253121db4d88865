package dev.cortex.drivers.launch;

import dev.cortex.protocol.api.ApplyWorkspace;
import dev.cortex.protocol.api.WorkspaceApplied;
import dev.cortex.protocol.api.WorkspaceChanges;
import dev.cortex.sandbox.SandboxId;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Copies of folders on sandboxes' disks, by the launcher. */
public final class WorkspaceCopies {
    private final Launcher launcher;

    public WorkspaceCopies(Launcher launcher) {
        this.launcher = launcher;
    }

    /** @param rootless the disk's files belong to the caller's subordinate ids */
    public void take(WorkspacePlace place, SandboxId sandbox, Path folder, boolean rootless) {
        launcher.workspace(request("take", place).sandbox(sandbox).source(folder), rootless, Done.class);
    }

    public void drop(WorkspacePlace place, SandboxId sandbox, boolean rootless) {
        launcher.workspace(request("drop", place).sandbox(sandbox), rootless, Done.class);
    }

    public WorkspaceChanges changes(WorkspacePlace place, List<String> paths, boolean rootless) {
        return launcher.workspace(request("changes", place).only(paths), rootless, WorkspaceChanges.class);
    }

    public void patch(WorkspacePlace place, List<String> paths, Path to, boolean rootless) {
        launcher.workspace(request("patch", place).only(paths).patch(to), rootless, Done.class);
    }

    public WorkspaceApplied apply(WorkspacePlace place, ApplyWorkspace how, boolean rootless) {
        Applying applying = new Applying(
                how.check().orElse(false),
                how.branch().orElse(""),
                how.message().orElse(""),
                how.allowHooks().orElse(false),
                how.paths());
        return launcher.workspace(request("apply", place).apply(applying), rootless, WorkspaceApplied.class);
    }

    private static Spec request(String what, WorkspacePlace place) {
        return new Spec(
                LaunchSpec.VERSION,
                what,
                place,
                Optional.empty(),
                Optional.empty(),
                List.of(),
                Optional.empty(),
                Optional.empty());
    }

    record Applying(boolean check, String branch, String message, boolean allowRisks, List<String> only) {}

    /** The launcher's request. */
    record Spec(
            int version,
            String doing,
            WorkspacePlace place,
            Optional<String> sandbox,
            Optional<String> source,
            List<String> only,
            Optional<String> patch,
            Optional<Applying> apply) {
        Spec sandbox(SandboxId id) {
            return new Spec(version, doing, place, Optional.of(id.value()), source, only, patch, apply);
        }

        Spec source(Path folder) {
            return new Spec(version, doing, place, sandbox, Optional.of(folder.toString()), only, patch, apply);
        }

        Spec only(List<String> paths) {
            return new Spec(version, doing, place, sandbox, source, paths, patch, apply);
        }

        Spec patch(Path to) {
            return new Spec(version, doing, place, sandbox, source, only, Optional.of(to.toString()), apply);
        }

        Spec apply(Applying how) {
            return new Spec(version, doing, place, sandbox, source, only, patch, Optional.of(how));
        }
    }

    /** What take, drop and patch tell is for logs. */
    record Done(int version) {}
}
