package dev.cortex.sandbox.driver;

import dev.cortex.sandbox.SandboxId;

/**
 * What a driver needs to find its sandbox again after a restart of the daemon. The core stores it and never looks into
 * {@code data}.
 *
 * @param version of the form of {@code data}, owned by the driver
 * @param data the driver's own JSON
 */
public record Handle(String driver, int version, SandboxId sandbox, String data) {}
