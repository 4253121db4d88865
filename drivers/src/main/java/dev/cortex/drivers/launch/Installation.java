package dev.cortex.drivers.launch;

import java.nio.file.Path;

/** The folder with the programs that were built with this one: {@code bin/launcher}, {@code bin/neuron}. */
public record Installation(Path folder) {
    /** The system property that names it. */
    public static final String PROPERTY = "cortex.install";

    /** As the system property says. */
    public static Installation fromProperty() {
        String folder = System.getProperty(PROPERTY);
        if (folder == null || folder.isEmpty()) {
            throw new IllegalStateException("the system property " + PROPERTY + " is not set");
        }
        return new Installation(Path.of(folder).toAbsolutePath().normalize());
    }

    public Path launcher() {
        return folder.resolve("bin/launcher");
    }

    /** Programs of others that were built here for tests. */
    public Path tools() {
        return folder.resolve("tools");
    }

    public Path neuron() {
        return folder.resolve("bin/neuron");
    }
}
