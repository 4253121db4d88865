package dev.cortex.bench.place;

import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Control groups that an engine leaves empty behind itself. */
final class ControlGroups {
    private static final Path TOP = Path.of("/sys/fs/cgroup");

    private ControlGroups() {}

    /** Removes the group of that name from every hierarchy where it is empty. */
    static void remove(String name) throws IOException {
        removeEmpty(TOP.resolve(name));
        try (DirectoryStream<Path> hierarchies = Files.newDirectoryStream(TOP)) {
            for (Path hierarchy : hierarchies) {
                removeEmpty(hierarchy.resolve(name));
            }
        }
    }

    private static void removeEmpty(Path group) throws IOException {
        try {
            Files.deleteIfExists(group);
        } catch (DirectoryNotEmptyException e) {
            // Somebody else's too.
        } catch (FileSystemException e) {
            if (Files.isDirectory(group)) {
                // Busy for the same reason; the kernel has no better word for it.
                return;
            }
            throw e;
        }
    }
}
