package dev.cortex.drivers.process;

import dev.cortex.drivers.launch.FirstProcess;
import dev.cortex.drivers.launch.SocketFile;
import dev.cortex.drivers.launch.Started;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.SandboxId;
import dev.cortex.sandbox.driver.Handle;
import java.nio.file.Path;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** What finds a sandbox of this driver again: its first process and the socket that it listens on. */
record ProcessSandboxHandle(FirstProcess first, SocketFile socket) {
    static final int VERSION = 1;

    private static final JsonMapper JSON = JsonMapper.shared();

    static ProcessSandboxHandle of(Started started) {
        return new ProcessSandboxHandle(started.first(), started.socket());
    }

    /** Empty for a handle of another driver or version. */
    static Optional<ProcessSandboxHandle> understand(Handle handle) {
        if (!handle.driver().equals(ProcessDriver.NAME) || handle.version() != VERSION) {
            return Optional.empty();
        }
        try {
            return Optional.of(JSON.readValue(handle.data(), ProcessSandboxHandle.class));
        } catch (JacksonException e) {
            return Optional.empty();
        }
    }

    /** @throws CortexException DRIVER_FAILED for a handle of another driver or version */
    static ProcessSandboxHandle read(Handle handle) {
        return understand(handle).orElseThrow(() -> foreign(handle));
    }

    /** Beside the socket, in the run folder; see {@link dev.cortex.drivers.launch.RunFiles#stopped}. */
    Path stopped() {
        return Path.of(socket.path()).resolveSibling("stopped");
    }

    Handle write(SandboxId sandbox) {
        return new Handle(ProcessDriver.NAME, VERSION, sandbox, JSON.writeValueAsString(this));
    }

    private static CortexException foreign(Handle handle) {
        return CortexException.of(
                ErrorCode.DRIVER_FAILED,
                "the handle of " + handle.sandbox() + " is not of this version of the driver " + ProcessDriver.NAME,
                "stop the sandbox with the version that started it, or cortex stop it: that needs no handle");
    }
}
