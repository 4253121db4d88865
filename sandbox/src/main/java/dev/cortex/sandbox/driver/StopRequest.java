package dev.cortex.sandbox.driver;

import dev.cortex.sandbox.SandboxId;
import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;

/** What a driver gets to end a sandbox: the handle where there is one, and what its names derive from. */
public record StopRequest(SandboxId sandbox, UUID home, Optional<Handle> handle, Path runFolder, Path folder) {}
