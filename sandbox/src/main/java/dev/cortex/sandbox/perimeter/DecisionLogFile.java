package dev.cortex.sandbox.perimeter;

import dev.cortex.sandbox.SandboxId;
import java.nio.file.Path;

/**
 * Where a sandbox's decisions are kept.
 *
 * @param folder the sandbox's own, which goes with its record
 */
public record DecisionLogFile(SandboxId sandbox, Path folder) {}
