package dev.cortex.sandbox.driver;

import java.util.List;
import java.util.Optional;

/**
 * Whether a driver can work on this machine.
 *
 * @param runtime the name of the program beneath it, such as {@code crun}, where there is one
 * @param missing what stands in the way; empty means ready
 * @param notes what works less well here, for people
 */
public record Readiness(Optional<String> runtime, List<Missing> missing, List<String> notes) {
    public Readiness {
        missing = List.copyOf(missing);
        notes = List.copyOf(notes);
    }

    public boolean ready() {
        return missing.isEmpty();
    }

    /**
     * @param what such as {@code crun is missing}
     * @param fix the one command that helps, such as {@code apt-get install -y crun}
     * @param installable the command only installs packages: a client may run it for its user
     */
    public record Missing(String what, String fix, boolean installable) {}
}
