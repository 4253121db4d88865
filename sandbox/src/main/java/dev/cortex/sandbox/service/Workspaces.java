package dev.cortex.sandbox.service;

import dev.cortex.protocol.api.ApplyWorkspace;
import dev.cortex.protocol.api.WorkspaceApplied;
import dev.cortex.protocol.api.WorkspaceChanges;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.driver.SandboxDriver;
import dev.cortex.sandbox.driver.WorkspaceKeeping;
import dev.cortex.sandbox.store.DiskRow;
import dev.cortex.sandbox.store.SandboxRow;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Sandboxes' own copies of folders: what changed in them, and the way back. Thread-safe; works in every state. */
public final class Workspaces {
    private static final Duration EXPECTED = Duration.ofMinutes(1);

    private final Ports ports;
    private final Drivers drivers;
    private final Records records;
    private final Exclusive exclusive;

    Workspaces(Ports ports, Drivers drivers, Records records, Exclusive exclusive) {
        this.ports = ports;
        this.drivers = drivers;
        this.records = records;
        this.exclusive = exclusive;
    }

    /** @param paths only these and what lies beneath them; empty: everything */
    public WorkspaceChanges changes(String sandbox, List<String> paths) {
        SandboxRow row = records.require(sandbox);
        return keeping(row).workspaceChanges(disk(row), requireWithin(paths));
    }

    /** Writes a patch to {@code to}; before {@code begin} is run an error can still be told. */
    public void patch(String sandbox, List<String> paths, Runnable begin, WritableByteChannel to) throws IOException {
        SandboxRow row = records.require(sandbox);
        Folders.make(ports.folders().sandbox(row.id()));
        Path file = ports.folders().sandbox(row.id()).resolve("patch-" + UUID.randomUUID());
        try {
            keeping(row).workspacePatch(disk(row), requireWithin(paths), file);
            begin.run();
            try (FileChannel patch = FileChannel.open(file)) {
                for (long sent = 0; sent < patch.size(); ) {
                    sent += patch.transferTo(sent, patch.size() - sent, to);
                }
            }
        } finally {
            Files.deleteIfExists(file);
        }
    }

    /** Nothing else is done to the sandbox meanwhile; what runs in it goes on. */
    public WorkspaceApplied apply(String sandbox, ApplyWorkspace request) {
        requireWithin(request.paths());
        return exclusive.on(
                sandbox,
                "apply",
                EXPECTED,
                Optional::of,
                row -> keeping(row).applyWorkspace(disk(row), named(request, row)));
    }

    private static ApplyWorkspace named(ApplyWorkspace request, SandboxRow row) {
        return new ApplyWorkspace(
                request.check(),
                request.branch(),
                request.message().or(() -> Optional.of("Changes of the sandbox " + row.name() + "\n")),
                request.allowHooks(),
                request.paths());
    }

    private WorkspaceKeeping keeping(SandboxRow row) {
        return of(drivers.named(row.settings().driver()));
    }

    /** @throws CortexException UNSUPPORTED for a driver whose disks cannot be looked into */
    static WorkspaceKeeping of(SandboxDriver driver) {
        if (driver instanceof WorkspaceKeeping keeping) {
            return keeping;
        }
        throw CortexException.of(
                ErrorCode.UNSUPPORTED,
                "the driver " + driver.name() + " has no workspaces",
                "use --driver oci, or copy the files: cortex cp");
    }

    private Path disk(SandboxRow row) {
        DiskRow disk = ports.store()
                .disk(row.settings().disk())
                .orElseThrow(() -> CortexException.of(
                        ErrorCode.NOT_FOUND,
                        row.name() + " has no disk yet, and no workspace on it",
                        "start it: cortex start " + row.name()));
        // A pool that is not mounted would show a disk without anything on it.
        ports.pool().open();
        return ports.folders().disk(disk);
    }

    private static List<String> requireWithin(List<String> paths) {
        for (String path : paths) {
            if (path.isEmpty()
                    || path.startsWith("/")
                    || List.of(path.split("/")).contains("..")) {
                throw CortexException.of(
                        ErrorCode.INVALID_ARGUMENT,
                        "'" + path + "' is no path within the workspace",
                        "name it as the diff does, such as src/app.py");
            }
        }
        return paths;
    }
}
