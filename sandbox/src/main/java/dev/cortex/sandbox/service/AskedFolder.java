package dev.cortex.sandbox.service;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;

/** Decides which folders of the machine a sandbox may be given, live or as a copy. */
final class AskedFolder {
    /** The machine's own, or full of sockets and devices that stand for power over it. */
    private static final List<String> NONE = List.of("/proc", "/sys", "/dev", "/run", "/var/run");

    private final Folders folders;

    AskedFolder(Folders folders) {
        this.folders = folders;
    }

    /**
     * The folder itself, without links on the way to it.
     *
     * @param purpose a verb: {@code mount}, {@code copy}
     * @throws CortexException NOT_FOUND, INVALID_ARGUMENT, DENIED, each with its remedy
     */
    Path real(String given, String purpose) {
        Path path = absolute(given);
        Path real;
        try {
            real = path.toRealPath();
        } catch (IOException e) {
            throw CortexException.of(
                    ErrorCode.NOT_FOUND, "there is no folder " + path + " to " + purpose, "make it: mkdir -p " + path);
        }
        if (!Files.isDirectory(real)) {
            throw CortexException.of(
                    ErrorCode.INVALID_ARGUMENT, path + " is no folder", purpose + " the folder that it lies in");
        }
        requireHarmless(real, purpose);
        return real;
    }

    private static Path absolute(String given) {
        try {
            Path path = Path.of(given);
            if (path.isAbsolute() && given.indexOf('\0') < 0) {
                return path;
            }
        } catch (InvalidPathException e) {
            // Said below.
        }
        throw CortexException.of(
                ErrorCode.INVALID_ARGUMENT,
                "the folder must be an absolute path, not '" + given + "'",
                "write its whole path, such as /home/me/src");
    }

    private void requireHarmless(Path real, String purpose) {
        String text = real.toString();
        if (text.equals("/")) {
            throw denied("the whole machine is no folder to " + purpose, "/", purpose);
        }
        if (NONE.stream().anyMatch(own -> AskedMounts.within(text, own))) {
            throw denied(text + " is the machine's own and nothing to " + purpose, "/proc, /sys, /dev, /run", purpose);
        }
        for (Path ours : List.of(folders.home(), folders.run())) {
            Path own = withoutLinks(ours);
            if (own.startsWith(real) || real.startsWith(own)) {
                throw denied(
                        text + " and Cortex's own folder " + own
                                + " lie in each other: its tokens and disks would be open",
                        "Cortex's home",
                        purpose);
            }
        }
    }

    private static Path withoutLinks(Path path) {
        try {
            return path.toRealPath();
        } catch (IOException e) {
            return path.toAbsolutePath().normalize();
        }
    }

    private static CortexException denied(String what, String rule, String purpose) {
        return CortexException.of(ErrorCode.DENIED, what, purpose + " the one folder that is worked in")
                .because("rule: no " + purpose + " of " + rule);
    }
}
