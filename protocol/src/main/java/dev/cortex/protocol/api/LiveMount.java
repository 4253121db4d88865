package dev.cortex.protocol.api;

import java.util.Optional;

/**
 * A folder of the daemon's machine, shown live in a sandbox.
 *
 * @param host absolute path on the machine
 * @param guest absolute path inside
 * @param readOnly default false
 * @param writableHooks also what the host would run by itself, such as {@code .git/hooks}, can be written; default false
 */
public record LiveMount(String host, String guest, Optional<Boolean> readOnly, Optional<Boolean> writableHooks) {}
