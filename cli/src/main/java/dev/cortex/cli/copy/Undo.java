package dev.cortex.cli.copy;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What an interruption leaves behind, and what it takes away. For the copying thread and a signal's. */
public final class Undo {
    private String words = "nothing was changed";
    private Optional<Path> halfway = Optional.empty();

    synchronized void note(String what) {
        words = what;
    }

    synchronized void discard(Path path) {
        halfway = Optional.of(path);
    }

    /** Takes away what is halfway here, and says what is left. */
    public synchronized String interrupt() {
        if (halfway.isPresent()) {
            try {
                delete(halfway.get());
            } catch (IOException e) {
                return words + "; this could not be removed: " + halfway.get();
            }
        }
        return words;
    }

    /** Removes a file, or a folder with all in it; links are removed and not followed. */
    static void delete(Path path) throws IOException {
        if (!Files.exists(path, java.nio.file.LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        Files.walkFileTree(path, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) throws IOException {
                // An archive may hold folders that their owner cannot write.
                Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException failure) throws IOException {
                Files.delete(folder);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
