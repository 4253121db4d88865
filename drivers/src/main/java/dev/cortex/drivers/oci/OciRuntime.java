package dev.cortex.drivers.oci;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** The runtime programs, the strongest first. Another joins here once the launcher knows how to call it. */
enum OciRuntime {
    CRUN("crun"),
    RUNC("runc");

    private final String program;

    OciRuntime(String program) {
        this.program = program;
    }

    /** Its name in PATH, in requests and in readiness. */
    String program() {
        return program;
    }

    static Optional<OciRuntime> named(String name) {
        return Arrays.stream(values())
                .filter(runtime -> runtime.program.equals(name))
                .findFirst();
    }

    static List<String> names() {
        return Arrays.stream(values()).map(OciRuntime::program).toList();
    }
}
