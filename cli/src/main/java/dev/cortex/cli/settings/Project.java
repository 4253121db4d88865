package dev.cortex.cli.settings;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Where a project's settings are: upwards from the working directory to the root of its repository, and no further. */
final class Project {
    private Project() {}

    private static final String FILE = ".cortex/config.yaml";

    /**
     * The nearest file. Outside of a repository only the folder itself counts: a file in /tmp or /home that somebody else
     * put there decides nothing.
     */
    static Optional<Path> file(Path folder) {
        Optional<Path> nearest = Optional.empty();
        Optional<Path> here = existing(folder);
        for (Path at = folder; at != null; at = at.getParent()) {
            if (nearest.isEmpty()) {
                nearest = existing(at);
            }
            if (Files.exists(at.resolve(".git"))) {
                return nearest;
            }
        }
        return here;
    }

    private static Optional<Path> existing(Path folder) {
        Path file = folder.resolve(FILE);
        return Files.exists(file) ? Optional.of(file) : Optional.empty();
    }

    /** The folder that a project's file belongs to; paths in it begin there. */
    static Path folder(Path file) {
        Path hidden = file.toAbsolutePath().getParent();
        Path folder = hidden == null ? null : hidden.getParent();
        return folder == null ? Path.of("/") : folder;
    }
}
