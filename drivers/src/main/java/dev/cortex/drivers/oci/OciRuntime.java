package dev.cortex.drivers.oci;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** The runtime programs, the strongest first. Another joins here once the launcher knows how to call it. */
enum OciRuntime {
    RUNSC("runsc", true),
    CRUN("crun", false),
    RUNC("runc", false);

    private final String program;
    private final boolean ownKernel;

    OciRuntime(String program, boolean ownKernel) {
        this.program = program;
        this.ownKernel = ownKernel;
    }

    /**
     * Whether what is inside runs on a kernel of its own: file systems in memory and control groups are that kernel's, a
     * descriptor of the host's cannot be handed in, and a limit of processes on the host would meet that kernel itself.
     */
    boolean ownKernel() {
        return ownKernel;
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
