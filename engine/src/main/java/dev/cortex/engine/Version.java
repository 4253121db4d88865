package dev.cortex.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What was built: {@code YYYYMMDD-<git sha>}, written beside the programs by the build. */
final class Version {
    private Version() {}

    static String of(Path installation) {
        try {
            return Files.readString(installation.resolve("version")).strip();
        } catch (IOException e) {
            return "unversioned";
        }
    }
}
