package dev.cortex.drivers.launch;

import java.nio.file.Path;
import java.util.Optional;

/**
 * What makes the sandbox.
 *
 * @param kind {@code none} or {@code oci}
 * @param flavour such as {@code crun}
 * @param program path of the runtime
 * @param stateRoot the runtime's own state folder
 */
public record RuntimeProgram(
        String kind, Optional<String> flavour, Optional<String> program, Optional<String> stateRoot) {
    /** A plain child without isolation. */
    public static final RuntimeProgram NONE =
            new RuntimeProgram("none", Optional.empty(), Optional.empty(), Optional.empty());

    public static RuntimeProgram oci(String flavour, String program, Path stateRoot) {
        return new RuntimeProgram("oci", Optional.of(flavour), Optional.of(program), Optional.of(stateRoot.toString()));
    }
}
