package dev.cortex.sandbox.service;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.SandboxId;
import dev.cortex.sandbox.store.DiskRow;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * Where things of sandboxes lie. All names derive from ids.
 *
 * @param home the home folder
 * @param run the home's run folder
 */
public record Folders(Path home, Path run) {
    private static final FileAttribute<Set<PosixFilePermission>> OURS_ALONE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    Path sandboxes() {
        return home.resolve("sandboxes");
    }

    Path disks() {
        return home.resolve("disks");
    }

    /** Things that live as long as the record. */
    public Path sandbox(SandboxId id) {
        return sandboxes().resolve(id.value());
    }

    /** Things that live as long as the first process. */
    public Path run(SandboxId id) {
        return run.resolve(id.value());
    }

    public Path disk(DiskRow disk) {
        return disks().resolve(disk.folder());
    }

    static void make(Path folder) {
        try {
            Path parent = folder.getParent();
            if (parent != null) {
                Files.createDirectories(parent, OURS_ALONE);
            }
            Files.createDirectories(folder, OURS_ALONE);
        } catch (IOException e) {
            if (isFull(e)) {
                throw CortexException.of(
                                ErrorCode.DISK_FULL,
                                "cannot make the folder " + folder + ": its disk is full",
                                "free space on it, or remove what you do not need: cortex usage, cortex rm --wipe NAME")
                        .because(e);
            }
            throw CortexException.of(
                            ErrorCode.DRIVER_FAILED,
                            "cannot make the folder " + folder,
                            "look at the owner and the free space of " + folder.getParent())
                    .because(e);
        }
    }

    /** The JDK tells of it in the system's words alone. */
    static boolean isFull(IOException e) {
        String words = String.valueOf(e.getMessage());
        return words.contains("No space left on device") || words.contains("Disk quota exceeded");
    }

    static boolean exists(Path folder) {
        return Files.exists(folder, LinkOption.NOFOLLOW_LINKS);
    }

    /** Deletes a folder with all in it, following no link; a missing one is no error. */
    static void delete(Path folder) throws IOException {
        try {
            Files.walkFileTree(folder, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                    Files.deleteIfExists(file);
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult postVisitDirectory(Path visited, IOException failed) throws IOException {
                    Files.deleteIfExists(visited);
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (NoSuchFileException e) {
            return;
        }
    }
}
