package dev.cortex.drivers.oci;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * How whoever reads a fix becomes root for it.
 *
 * @param root they are
 * @param sudo this machine has it
 */
record AsRoot(boolean root, boolean sudo) {
    static AsRoot here(boolean root) {
        String path = System.getenv("PATH");
        for (String folder : (path == null ? "/usr/bin" : path).split(File.pathSeparator)) {
            if (folder.startsWith("/") && Files.isExecutable(Path.of(folder, "sudo"))) {
                return new AsRoot(root, true);
            }
        }
        return new AsRoot(root, false);
    }

    /** A command as they type it; without sudo they need root's password. */
    String before(String command) {
        if (root) {
            return command;
        }
        return sudo ? "sudo " + command : "su -c '" + command + "'";
    }

    /** Whether it can be run for them. */
    boolean canBeTaken() {
        return root || sudo;
    }
}
