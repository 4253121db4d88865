package dev.cortex.cli.host;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What our standard descriptors are connected to. Their links in /proc say it without a foreign call. */
public final class Descriptors {
    private Descriptors() {}

    public static boolean isTerminal(int descriptor) {
        String target = target(descriptor);
        return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty") || target.equals("/dev/console");
    }

    /** Whether reading it can give anything: it is open, and not /dev/null. */
    public static boolean isReadable(int descriptor) {
        String target = target(descriptor);
        return !target.isEmpty() && !target.equals("/dev/null");
    }

    private static String target(int descriptor) {
        try {
            return Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor))
                    .toString();
        } catch (IOException e) {
            return "";
        }
    }
}
