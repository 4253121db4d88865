package dev.cortex.drivers.oci;

import java.nio.file.Path;

/**
 * The writable layers on a sandbox's disk: one above the root, and one above each folder of the machine that is shown
 * in it.
 */
record DiskFolders(Path disk) {
    /** Holds {@code upper} and {@code work} of the root. */
    Path root() {
        return disk;
    }

    /** Holds {@code upper} and {@code work} of a folder of the machine, such as {@code /usr}. */
    Path shown(Path folder) {
        return disk.resolve("shown").resolve(folder.getFileName().toString());
    }

    static String upper(Path folder) {
        return folder.resolve("upper").toString();
    }

    static String work(Path folder) {
        return folder.resolve("work").toString();
    }
}
