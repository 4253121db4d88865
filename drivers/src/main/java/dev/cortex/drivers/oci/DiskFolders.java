package dev.cortex.drivers.oci;

import dev.cortex.drivers.launch.WorkspacePlace;
import dev.cortex.sandbox.driver.Placement;
import dev.cortex.sandbox.guest.GuestIdentity;
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

    /**
     * The copy of a folder, in the layer above the root. Beside the layers, where nothing of the sandbox can reach, lies
     * what it was.
     */
    WorkspacePlace workspace(boolean rootless) {
        GuestIdentity.User agent = GuestIdentity.User.AGENT;
        return new WorkspacePlace(
                disk.toString(),
                "upper" + Placement.AGENT.workdir(),
                "workspace",
                2,
                agent.uid(),
                agent.gid(),
                rootless ? "user.overlay.opaque" : "trusted.overlay.opaque");
    }

    static String upper(Path folder) {
        return folder.resolve("upper").toString();
    }

    static String work(Path folder) {
        return folder.resolve("work").toString();
    }
}
