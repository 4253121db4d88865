package dev.cortex.drivers.oci;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** Makes folders of the host with the rights that they need. */
final class HostFolders {
    private HostFolders() {}

    /**
     * The bundle is the runtime's working folder when it has become the sandbox's root, who is nobody on the host and
     * goes through it to the root file system. The folder around it is private.
     */
    static void makePassable(Path folder) {
        make(folder, "rwx--x--x");
    }

    private static void make(Path folder, String mode) {
        try {
            Files.createDirectories(folder);
            Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString(mode));
        } catch (IOException e) {
            throw CortexException.of(
                            ErrorCode.DRIVER_FAILED,
                            "the folder could not be made: " + folder,
                            "look at the owner and the free space of its parent")
                    .because(e);
        }
    }
}
