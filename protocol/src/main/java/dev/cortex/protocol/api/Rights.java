package dev.cortex.protocol.api;

import java.util.Optional;

/**
 * What sessions of a sandbox may be and call.
 *
 * @param root whether sessions as root of the sandbox, and {@code sudo} in it, are possible; default true where the
 *     driver has them
 * @param seccomp which system calls pass: {@code default}, {@code nested} (browsers, sandboxes in the sandbox) or
 *     {@code debug} (debuggers)
 */
public record Rights(Optional<Boolean> root, Optional<String> seccomp) {}
