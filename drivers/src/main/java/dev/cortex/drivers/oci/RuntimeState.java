package dev.cortex.drivers.oci;

import dev.cortex.drivers.launch.RunFiles;
import dev.cortex.sandbox.driver.StopRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

/**
 * Where a runtime keeps its state of a sandbox: in the bundle, so that one folder holds all that a sandbox leaves in the
 * run folder, and under the runtime's name, so that stop knows without a handle which one to call.
 */
final class RuntimeState {
    private RuntimeState() {}

    static Path folder(RunFiles files, String runtime) {
        return files.bundle().resolve("state").resolve(runtime);
    }

    /** The runtime that has begun to make the sandbox. */
    static Optional<OciRuntime> of(StopRequest request) {
        RunFiles files = new RunFiles(request.runFolder(), request.folder());
        return Arrays.stream(OciRuntime.values())
                .filter(runtime -> Files.isDirectory(folder(files, runtime.program())))
                .findFirst();
    }
}
