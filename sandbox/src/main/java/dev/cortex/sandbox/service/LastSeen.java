package dev.cortex.sandbox.service;

import dev.cortex.sandbox.SandboxId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Optional;

/** The last known activity of each sandbox, kept over a restart of the daemon: the time of a file in its folder. */
final class LastSeen {
    private static final System.Logger LOG = System.getLogger("dev.cortex.sandbox");

    private final Folders folders;

    LastSeen(Folders folders) {
        this.folders = folders;
    }

    void keep(SandboxId id, Instant at) {
        Path file = file(id);
        try {
            try {
                Files.setLastModifiedTime(file, FileTime.from(at));
            } catch (NoSuchFileException e) {
                Files.createFile(file);
                Files.setLastModifiedTime(file, FileTime.from(at));
            }
        } catch (IOException e) {
            // It is gone with its folder, or its disk is full: the sandbox then lives a little longer.
            LOG.log(System.Logger.Level.DEBUG, "the activity of " + id + " is not kept", e);
        }
    }

    Optional<Instant> of(SandboxId id) {
        try {
            return Optional.of(Files.getLastModifiedTime(file(id)).toInstant());
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private Path file(SandboxId id) {
        return folders.sandbox(id).resolve("active");
    }
}
