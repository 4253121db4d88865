package dev.cortex.daemon.doctor;

import dev.cortex.protocol.api.Daemon;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * gVisor's runtime, which no distribution has in a release that counts: the clone that this program runs from builds it
 * from its pinned module into the home's own tools, in about a minute.
 */
public final class Gvisor {
    /** What the driver says helps, where it is missing. */
    private static final String FIX = "cortex doctor --fix";

    /** Where {@code scripts/machine.sh} looks besides PATH. */
    private static final Path USUAL_GO = Path.of("/usr/local/go/bin/go");

    private final Path dev;
    private final Path tools;
    private final String path;

    /**
     * @param dev the repository's script
     * @param tools the home's
     * @param path PATH
     */
    public Gvisor(Path dev, Path tools, String path) {
        this.dev = dev;
        this.tools = tools;
        this.path = path;
    }

    /** The command that builds it, where it is missing, would be used, and can be built here. */
    public Optional<String> fix(Daemon.Readiness readiness) {
        return wanted(readiness) && Files.isExecutable(dev) && hasGo()
                ? Optional.of(dev + " gvisor " + tools)
                : Optional.empty();
    }

    /** What a person has to do first, where it is missing and cannot be built. */
    public Optional<String> advice(Daemon.Readiness readiness) {
        if (!wanted(readiness) || fix(readiness).isPresent()) {
            return Optional.empty();
        }
        return Optional.of(
                Files.isExecutable(dev)
                        ? "gVisor: install Go 1.26 or newer (https://go.dev/dl), then: " + FIX
                        : "gVisor: put a runsc of this year into " + tools
                                + " (https://gvisor.dev/docs/user_guide/install)");
    }

    private static boolean wanted(Daemon.Readiness readiness) {
        return readiness.drivers().stream()
                .flatMap(driver -> driver.missing().stream())
                .anyMatch(missing -> missing.fix().equals(FIX));
    }

    private boolean hasGo() {
        return Stream.concat(
                        List.of(path.split(":")).stream().map(folder -> Path.of(folder, "go")), Stream.of(USUAL_GO))
                .anyMatch(Files::isExecutable);
    }
}
