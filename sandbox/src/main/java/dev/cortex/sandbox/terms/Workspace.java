package dev.cortex.sandbox.terms;

import java.nio.file.Path;

/** The folder that a sandbox has a copy of; absolute. */
public record Workspace(Path folder) {}
