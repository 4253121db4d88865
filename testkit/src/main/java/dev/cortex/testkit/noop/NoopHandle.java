package dev.cortex.testkit.noop;

import dev.cortex.sandbox.SandboxId;
import dev.cortex.sandbox.driver.Handle;
import java.nio.file.Path;
import java.util.Optional;

/** What finds a sandbox of this driver again: the file that it is. */
record NoopHandle(Path place) {
    private static final int VERSION = 1;

    /** Empty for a handle of another driver or version. */
    static Optional<NoopHandle> understand(Handle handle) {
        return handle.driver().equals(NoopDriver.NAME) && handle.version() == VERSION
                ? Optional.of(new NoopHandle(Path.of(handle.data())))
                : Optional.empty();
    }

    Handle write(SandboxId sandbox) {
        return new Handle(NoopDriver.NAME, VERSION, sandbox, place.toString());
    }
}
