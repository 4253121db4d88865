package dev.cortex.protocol.api;

/**
 * A sandbox's own copy of a folder, whose changes can be brought back.
 *
 * @param folder absolute path on the daemon's machine
 */
public record Workspace(String folder) {}
