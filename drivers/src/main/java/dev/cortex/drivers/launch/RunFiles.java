package dev.cortex.drivers.launch;

import java.nio.file.Path;

/**
 * Where a running sandbox's own things lie on the host. Names are the same for every sandbox and driver, so that stop
 * finds them without a handle.
 *
 * @param runFolder short-lived, short of path
 * @param folder lives as long as the sandbox's record
 */
public record RunFiles(Path runFolder, Path folder) {
    public Path socket() {
        return runFolder.resolve("n.sock");
    }

    /** What a first process binds its socket in, where it cannot inherit one. */
    public Path channel() {
        return runFolder.resolve("channel");
    }

    public Path pidFile() {
        return runFolder.resolve("pid");
    }

    public Path bundle() {
        return runFolder.resolve("bundle");
    }

    /** Who stood still before a pause by signals. */
    public Path stopped() {
        return runFolder.resolve("stopped");
    }

    /** What the first process said, for people who look for the cause of an error. */
    public Path console() {
        return folder.resolve("console.log");
    }
}
