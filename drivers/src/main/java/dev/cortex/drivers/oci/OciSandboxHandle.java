package dev.cortex.drivers.oci;

import dev.cortex.drivers.launch.FirstProcess;
import dev.cortex.drivers.launch.SocketFile;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.SandboxId;
import dev.cortex.sandbox.driver.Handle;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * What finds a sandbox of this driver again.
 *
 * @param runtime such as {@code crun}
 * @param program path of the runtime
 * @param rights as whom it was started
 * @param disk how its disk is stored: {@code unshifted} (ids 0 to 65,535, shown through idmapped mounts) or
 *     {@code rootless} (ids of the user's subordinate range)
 * @param cgroup name of its control group, where it has one
 */
record OciSandboxHandle(
        FirstProcess first,
        SocketFile socket,
        String runtime,
        String program,
        Rights rights,
        String disk,
        Optional<String> cgroup) {
    static final int VERSION = 1;

    private static final JsonMapper JSON = JsonMapper.shared();

    static String diskOf(Rights rights) {
        return rights.rootless() ? "rootless" : "unshifted";
    }

    /** Empty for a handle of another driver or version. */
    static Optional<OciSandboxHandle> understand(Handle handle) {
        if (!handle.driver().equals(OciDriver.NAME) || handle.version() != VERSION) {
            return Optional.empty();
        }
        try {
            return Optional.of(JSON.readValue(handle.data(), OciSandboxHandle.class));
        } catch (JacksonException e) {
            return Optional.empty();
        }
    }

    /** @throws CortexException DRIVER_FAILED for a handle of another driver or version */
    static OciSandboxHandle read(Handle handle) {
        return understand(handle)
                .orElseThrow(() -> CortexException.of(
                        ErrorCode.DRIVER_FAILED,
                        "the handle of " + handle.sandbox() + " is not of this version of the driver " + OciDriver.NAME,
                        "cortex stop it: that needs no handle"));
    }

    Handle write(SandboxId sandbox) {
        return new Handle(OciDriver.NAME, VERSION, sandbox, JSON.writeValueAsString(this));
    }
}
