package dev.cortex.drivers.oci;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** Folders of the host that nobody but the daemon's user may enter. */
final class HostFolders {
    private HostFolders() {}

    /** A disk holds set-uid files as its root likes: no user of the host may come near them. */
    static void makePrivate(Path folder) {
        try {
            Files.createDirectories(folder);
            Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
        } catch (IOException e) {
            throw CortexException.of(
                            ErrorCode.DRIVER_FAILED,
                            "the folder could not be made: " + folder,
                            "look at the owner and the free space of its parent")
                    .because(e);
        }
    }
}
