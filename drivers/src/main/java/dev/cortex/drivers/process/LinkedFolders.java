package dev.cortex.drivers.process;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.guest.GuestIdentity.User;
import dev.cortex.sandbox.terms.LiveMount;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;

/**
 * Live mounts without isolation: a link in the sandbox's HOME for each. What runs there could reach the folder without
 * it, so nothing of the folder is protected.
 */
final class LinkedFolders {
    private LinkedFolders() {}

    /**
     * @throws CortexException UNSUPPORTED for a place outside of the HOME, NOT_FOUND when the folder is gone,
     *     ALREADY_EXISTS when something else is at its place
     */
    static void make(Path disk, List<LiveMount> mounts) {
        for (LiveMount mount : mounts) {
            if (!Files.isDirectory(mount.host())) {
                throw CortexException.of(
                        ErrorCode.NOT_FOUND,
                        "the folder " + mount.host() + ", which is mounted live, is gone",
                        "make it again: mkdir -p " + mount.host());
            }
            link(place(disk, mount), mount.host());
        }
    }

    private static Path place(Path disk, LiveMount mount) {
        String home = User.AGENT.home() + "/";
        if (!mount.guest().startsWith(home)) {
            throw CortexException.of(
                    ErrorCode.UNSUPPORTED,
                    "the driver process has no root of its own: a mount can lie in the home folder alone",
                    "use " + home + mount.host().getFileName() + ", or --driver oci");
        }
        return disk.resolve(mount.guest().substring(home.length()));
    }

    private static void link(Path place, Path host) {
        try {
            if (Files.isSymbolicLink(place) && Files.readSymbolicLink(place).equals(host)) {
                return;
            }
            if (Files.exists(place, LinkOption.NOFOLLOW_LINKS)) {
                throw CortexException.of(
                        ErrorCode.ALREADY_EXISTS,
                        place + " is there already",
                        "mount at another place, or move it away");
            }
            Path parent = place.getParent();
            if (parent != null) {
                Files.createDirectories(parent);
            }
            Files.createSymbolicLink(place, host);
        } catch (IOException e) {
            throw CortexException.of(
                            ErrorCode.DRIVER_FAILED,
                            "the link to " + host + " could not be made",
                            "see: ls -ld " + place)
                    .because(e);
        }
    }
}
